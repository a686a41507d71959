import type { Pod } from '../../../platform/pods/pod.ts';
import type { NamedRefusal } from '../../network/network.ts';
import type { CommitOf } from '../commands/fill-pod.ts';

/** What a commit and the settings of its project say about where commands run. */
export interface Environment {
  /** As the engine of containers names it; undefined for its default. */
  image: string | undefined;
  /** A command for the shell. */
  setup: string | undefined;
  /** Milliseconds that it may take. */
  timeout: number;
  /** Paths of files: its result is kept until one of them changes. */
  cache: readonly string[];
  /** What people should know of it, as sentences. */
  notices: readonly string[];
}

/** The branch that a commit is built on, if that is not the default one. */
export interface Base {
  branch: string;
  /** The task that begins with it, if it is for one. */
  taskId?: string;
}

/** A commit whose setup is wanted. */
export interface SetUpOf extends CommitOf {
  base?: Base | undefined;
}

/** What has come of the setup of a pod. */
export interface SetupEnd {
  command: string;
  /** `restored`: it was not run, because its result was kept. */
  conclusion: 'success' | 'failure' | 'timed_out' | 'restored';
  seconds: number;
  /** The end of what it has written. */
  log: string;
  /** Of what was kept: the commit that it was made from, and when, in ISO 8601. */
  made?: { commit: string; at: string };
}

export const hasFailed = ({ conclusion }: SetupEnd): boolean =>
  conclusion === 'failure' || conclusion === 'timed_out';

interface SetUpOptions {
  signal: AbortSignal;
  /**
   * Makes the pod anew, with nothing but the files of the commit. Only for a pod in which nothing
   * has run: without it, nothing is taken from what was kept, and nothing is kept.
   */
  renew?: (() => Promise<Pod>) | undefined;
  onStart?: (command: string) => Promise<void>;
  /** Called with the log so far. */
  onLog?: (log: string) => void;
  /** Called once for each host that is refused, beside the line of the log that says so. */
  onRefused?: ((refusal: NamedRefusal) => void) | undefined;
}

export interface Environments {
  /** Whether the pods of this driver are made from the image of their environment. */
  readonly haveImages: boolean;
  /** Read from the repository: nothing in a work tree has a say. Throws as `runGit` does. */
  of(commit: CommitOf, signal?: AbortSignal): Promise<Environment>;
  /**
   * Names the setup of a commit: another one is wanted when the command or a file of `cache` is
   * another. Undefined where there is no setup.
   */
  nameOf(
    environment: Environment,
    commit: CommitOf,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /**
   * Runs the setup in a pod whose work tree has the commit, or puts there what an earlier one has
   * left. Without `end`, there is no setup. The pod may have been made anew.
   */
  setUp(
    pod: Pod,
    environment: Environment,
    of: SetUpOf,
    options: SetUpOptions,
  ): Promise<{ pod: Pod; end?: SetupEnd }>;
}
