import type { Readable, Writable } from 'node:stream';
import type { PodStatus } from '../pod.ts';

/**
 * What an engine of containers does for pods that are elsewhere. A pod has three containers that
 * share its volume and see nothing of each other's processes: a process that may not write to the
 * work tree runs where that is mounted read-only, whoever it is.
 */
export const CONTAINERS = ['files', 'plan', 'build'] as const;
export type ContainerName = (typeof CONTAINERS)[number];

/** The image has to have it, and the folders WORK_TREE and HOME. See inside/main.ts. */
export const HELPER = '/opt/guildhall/server/platform/pods/inside/main.ts';

/** The user of all processes, who owns the volume. */
export const USER = 1000;

/** Keeps a container running, and reaps the processes whose parents have ended. */
export const IDLE = ['sh', '-c', 'while :; do sleep 86400 & wait; done'];

/** All methods are idempotent by the pod's id and reject with PodError. */
export interface Engine {
  readonly name: 'docker' | 'kubernetes';
  /** What its processes are confined by, in words for people. */
  readonly isolation: string;
  readonly image: string;
  /** As PodDriver's. */
  check(): Promise<void>;
  /** Makes the pod's volume, and remembers the image of its containers with it. */
  create(id: string, image: string): Promise<void>;
  /** Never rejects for an engine that is silent: its state is `unknown` then. */
  find(id: string): Promise<PodStatus>;
  /**
   * Runs the three containers, of the pod's image, which it returns. Rejects with `absent` where
   * there is no volume.
   */
  start(id: string): Promise<string>;
  /** Removes the containers with everything that runs in them; resolves once they are gone. */
  stop(id: string): Promise<void>;
  /** Removes the volume of a pod that was stopped. */
  remove(id: string): Promise<void>;
  list(): Promise<PodStatus[]>;
  exec(id: string, container: ContainerName, command: readonly string[]): Promise<EngineProcess>;
  /**
   * What has become of a pod in which a process was killed, once that is certain: `lost`, its
   * containers do not all run any more; a sentence, because it exceeded a limit; undefined, it runs.
   * An engine without it ends containers only when it is told to.
   */
  ended?(id: string): Promise<string | undefined>;
}

export interface EngineProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its code; null where the connection to it was lost. Never rejects. */
  readonly exited: Promise<number | null>;
  /** Ends the connection, not the process. */
  disconnect(): void;
}
