import type { Readable, Writable } from 'node:stream';

export interface TreeBounds {
  /** Bytes of all files together. */
  maxBytes: number;
  /** Files, folders and links. */
  maxEntries: number;
}

/**
 * A pod is where the agent of one task works: a work tree, a home folder, and the processes in
 * them, apart from everything else of the machine. A driver makes pods of one kind.
 */

/**
 * `paused`: nothing runs, the files are kept. `unknown`: the provider does not answer; such a pod
 * must not be replaced before `find` has said `absent` twice.
 */
export type PodState =
  | 'absent'
  | 'creating'
  | 'running'
  | 'paused'
  | 'destroying'
  | 'failed'
  | 'unknown';

export interface PodStatus {
  /** The id that `create` was called with. */
  id: string;
  state: PodState;
  /** What the driver's provider calls it. Undefined for a pod that is absent. */
  externalId: string | undefined;
  /** Why a pod failed or does not run, as its provider says it: for the operator. */
  reason: string | undefined;
  /** The limit for which its provider has ended it, as a sentence for people. */
  exceeded?: string | undefined;
}

/**
 * All methods are idempotent by the pod's id, a UUID of ours, and have a deadline of their own.
 * They reject with PodError.
 */
export interface PodDriver {
  /** As the column `pod.driver` stores it. */
  readonly name: 'process' | 'docker' | 'kubernetes';
  /** Whether the processes of its pods are kept apart from the machine that they run on. */
  readonly confined: boolean;
  /**
   * Resolves while pods can be made. Rejects with a sentence that says what is missing, such as an
   * engine that does not answer or has no image.
   */
  check(): Promise<void>;
  /**
   * Makes an empty pod, paused. One that exists is left as it is. `image`: that of its containers
   * instead of the driver's; a driver without containers ignores it.
   */
  create(id: string, image?: string): Promise<PodStatus>;
  find(id: string): Promise<PodStatus>;
  /** Makes the pod ready for `exec`. Rejects with `absent` where there is none. */
  start(id: string): Promise<Pod>;
  /**
   * As `start`, after ending every process that runs in the pod. To be called by who takes over a
   * turn: the agent of the owner before may still run.
   */
  attach(id: string): Promise<Pod>;
  /** Ends all its processes and keeps its files. */
  pause(id: string): Promise<PodStatus>;
  /** Ends all its processes and removes its files. */
  destroy(id: string): Promise<PodStatus>;
  /** Every pod that this driver knows of, including those of deleted tasks. */
  list(): Promise<PodStatus[]>;
  /** Ends what this process has started. Files are kept. */
  close(): Promise<void>;
}

/** A pod that was started. */
export interface Pod {
  readonly id: string;
  /** Absolute path of the work tree, as the processes of the pod see it. */
  readonly workTree: string;
  /**
   * Absolute path of the same folder on this machine, where the driver keeps pods on this machine.
   * Its content is the agent's: never run a program with it as the working directory, and give git
   * a repository (GIT_DIR) that is not inside it.
   */
  readonly hostWorkTree: string | undefined;
  /**
   * The folder that `hostWorkTree` is in and goes with, where the server keeps what it knows of it. No
   * process of a confined pod can write there.
   */
  readonly hostFolder: string | undefined;
  /** What its processes are confined by, in words for people: shown with the pod. */
  readonly isolation: string;
  /** Starts a process. A program that does not exist is one that ends at once with a code. */
  exec(command: PodCommand): Promise<PodProcess>;
  readonly files: PodFiles;
}

export interface PodCommand {
  /** A program on the pod's PATH, or an absolute path. */
  command: string;
  args?: readonly string[];
  /**
   * Added to a clean environment (PATH, HOME, LANG, TMPDIR). Nothing of the server's own
   * environment is in it.
   */
  env?: Readonly<Record<string, string>>;
  /** Whether the process and its descendants may write to the work tree. */
  tree: 'read-only' | 'writable';
  /**
   * Sockets of this machine that the process may connect to, by their name inside the pod: they are
   * found in `/run/guildhall/`, or in the folder that GUILDHALL_SOCKETS names.
   */
  sockets?: Readonly<Record<string, string>>;
  /**
   * Absolute paths of this machine that the process may read, such as the folder of its program.
   * Drivers that run elsewhere ignore them: their image holds the program.
   */
  readable?: readonly string[];
  /** Ends the process and its descendants when it aborts. */
  signal?: AbortSignal;
}

export interface PodProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the process has ended; never rejects. */
  readonly exited: Promise<PodExit>;
  /** Ends the process and all its descendants; resolves once it has ended. */
  kill(): Promise<void>;
}

export interface PodExit {
  code: number | null;
  signal: string | null;
  /** Why the driver or its provider ended it, as a sentence: it exceeded a limit of the pod. */
  reason?: string;
  /** Its pod was ended under it, by nothing that it did: it may be run again. */
  lost?: true;
}

/**
 * Files of the work tree. Paths are relative to it. A path with `..`, or one on which there is a
 * symbolic link, is refused with `outside`: the agent could let it point anywhere.
 */
export interface PodFiles {
  /** Undefined when there is no such file. Rejects with `too_large` above `maxBytes`. */
  read(path: string, options: { maxBytes: number }): Promise<Buffer | undefined>;
  /** Makes the folders it needs. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Removes a file or a whole folder; nothing happens when there is none. */
  remove(path: string): Promise<void>;
  /**
   * Gives everything in the work tree to the pod's user. To be called after writing to
   * `hostWorkTree`, while no process of the pod runs. Links, and files that have another name
   * outside, keep their owner. `fresh`: nobody but the server has ever written there, so no file has
   * one. Throws PodError, and the reason of `signal` once that is aborted.
   */
  adopt(options?: { signal?: AbortSignal | undefined; fresh?: boolean }): Promise<void>;
  /**
   * Names in a folder, sorted. Undefined when there is no such folder. Throws `too_large` above
   * 100,000.
   */
  list(path: string): Promise<PodFile[] | undefined>;
  /**
   * The work tree as a tar archive: folders, files, and links that stay inside; without `.git`.
   * The archive is the agent's as much as the tree: only `unpackTree` may read it. Throws
   * `too_large` while it is read.
   */
  pack(bounds?: TreeBounds): AsyncIterable<Uint8Array>;
  /** Replaces the content of the work tree. To be called while no process of the pod runs. */
  unpack(archive: AsyncIterable<Uint8Array>, bounds?: TreeBounds): Promise<void>;
}

export interface PodFile {
  name: string;
  /**
   * `unnamed`: the name on disk is not UTF-8, so no path leads here; `name` has U+FFFD in place of
   * what cannot be decoded.
   */
  type: 'file' | 'folder' | 'link' | 'other' | 'unnamed';
  /** Bytes of a file. */
  size: number;
}

/**
 * `absent`: there is no such pod. `unavailable`: the provider did not answer in time or refused;
 * worth trying again. `outside` and `too_large`: see PodFiles. `failed`: anything else. The message is
 * for the operator: it may quote the provider, and name what is on the operator's machines.
 */
export class PodError extends Error {
  readonly code: 'absent' | 'unavailable' | 'outside' | 'too_large' | 'failed';
  /** For people, as a clause without its full stop. */
  readonly sentence: string;

  constructor(
    code: PodError['code'],
    message: string,
    { sentence = message, ...options }: ErrorOptions & { sentence?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.sentence = sentence;
  }
}

/** The image of the pod is none of this release, such as one from before an upgrade. */
export class OtherRelease extends PodError {
  constructor(image: string, options: ErrorOptions) {
    const todo = 'build one from deploy/agent.Dockerfile of this release';
    super('failed', `${image} is no image for pods: ${todo}`, {
      sentence:
        'the image of the pod is none of this release; the operator of this server can help',
      ...options,
    });
  }
}
