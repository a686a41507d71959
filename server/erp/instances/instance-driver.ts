import type { InstanceOrder, InstanceReport } from './instance-order.ts';

/**
 * An ERP instance is an ERP system of one task with a database of its own, which is thrown away. A
 * driver runs instances of one kind.
 */

/**
 * `stopped`: it is there with its data, and does not run. `unknown`: the provider does not answer;
 * such an instance must not be given up before `find` has said what it is.
 */
export type InstanceState = 'absent' | 'starting' | 'running' | 'stopped' | 'unknown';

export interface InstanceStatus {
  /** The id that `create` was called with. */
  id: string;
  state: InstanceState;
  /** Why it does not run, for the operator's log, where the driver knows: it may quote a program. */
  reason: string | undefined;
}

interface ListedInstance extends InstanceStatus {
  /** Changes as long as a worker runs tests there, wherever it is; undefined where none has. */
  beat?: number | undefined;
}

export interface InstanceSpec {
  /** A UUID of ours. */
  id: string;
  /** As the catalog names it. */
  erpVersion: string;
  edition: string;
  /** The name of its database. */
  database: string;
  /** What the user `admin` shall have; the driver writes it nowhere where others can read it. */
  password: string;
  /** What it runs of the repository of its task; not every driver can. */
  code?: InstanceCode | undefined;
}

/** `shell`: a script for `odoo shell`. `update`: as `-u` of Odoo. */
export type InstanceCommand =
  | { what: 'shell'; script: string }
  | { what: 'update'; modules: string[] };

/** A mail that an instance wanted to send, cut to what is kept of one. */
export interface InstanceMail {
  sender: string;
  recipients: string[];
  subject: string;
  text: string;
}

export interface InstanceCode {
  /** Without the folders, which the driver makes. */
  order: InstanceOrder;
  /** Puts the files of a commit into a new folder. */
  fill(commit: string, folder: string): Promise<void>;
}

interface TestRun {
  code: number | null;
  /** The end of what Odoo has written. */
  log: string;
  /** Where the files of the repository were for it. */
  root: string;
}

/** `problem`: why it cannot be used, as a sentence for people. */
interface PreparedDump {
  problem: string | undefined;
}

/** All methods are idempotent by the id, and have a deadline. They reject with InstanceError. */
export interface InstanceDriver {
  /** As the column `erp_instance.driver` stores it. */
  readonly name: 'command';
  /** Makes its place. One that exists is left as it is. */
  create(spec: InstanceSpec): Promise<InstanceStatus>;
  find(id: string): Promise<InstanceStatus>;
  /**
   * Begins to run it; whether it is ready is seen at its URL. One that runs is left alone, but for
   * what a worker that has died has left running. Rejects with `absent` where there is none.
   */
  start(spec: InstanceSpec): Promise<void>;
  /** Calls `told` as soon as one that this process has started has ended by itself. */
  whenEnded?(told: () => void): void;
  /** Where workers reach it; undefined for one that cannot be reached from here. */
  url(id: string): Promise<string | undefined>;
  /** Ends it and removes its data. */
  destroy(id: string): Promise<void>;
  /** Every instance that this driver knows of, including those of deleted tasks. */
  list(): Promise<ListedInstance[]>;
  /**
   * Ends what this process runs of it, because another worker keeps it now: nothing where it does
   * not end with the process that started it. Its data are kept.
   */
  release(id: string): Promise<void>;
  /**
   * Ends one before it is started again: for `reset` with its database, as if it had just been made.
   */
  again?(id: string, how: 'restart' | 'reset'): Promise<void>;
  /** The end of what it has printed, without its password. */
  log?(id: string, secret: string): Promise<string>;
  /** Takes the mails that it wanted to send since it was asked last. */
  takeMails?(id: string): Promise<InstanceMail[]>;
  /** What its program says of the code that it runs; undefined for one that says nothing. */
  report?(id: string): Promise<InstanceReport | undefined>;
  /**
   * Runs the tests of an order in a place of its own, which `destroy` removes. `onLog`: with the log
   * so far. As long as it goes on, `beat` of the place changes. Undefined where this version has no
   * program that does.
   */
  test?(
    spec: InstanceSpec,
    options: { signal: AbortSignal; onLog: (log: string) => void },
  ): Promise<TestRun | undefined>;
  /**
   * Runs a command in one that runs, as its Odoo. Undefined where this version has no program that
   * does.
   */
  run?(
    spec: InstanceSpec,
    command: InstanceCommand,
    options: { signal: AbortSignal },
  ): Promise<Omit<TestRun, 'root'> | undefined>;
  /**
   * Restores the dump of a project in a place of its own, which `destroy` removes, so that orders can
   * name it. `write` makes the file with its bytes. Undefined where this version has no program that
   * does.
   */
  prepare?(
    spec: InstanceSpec,
    options: { signal: AbortSignal; write: (path: string) => Promise<void> },
  ): Promise<PreparedDump | undefined>;
  /** Ends what this process runs. Data are kept. */
  close(): Promise<void>;
}

const SENTENCES = {
  absent: 'The instance is gone with its data. Start another one.',
  unavailable: 'What runs ERP instances does not answer. Try again later.',
  failed:
    'The instance did not start. The operator of this server finds the reason in the log of its worker.',
} as const;

/**
 * `absent`: there is no such instance. `unavailable`: the provider did not answer in time or
 * refused; worth trying again. `failed`: anything else. The message is for the operator's log: it may
 * quote programs and engines, and name what is on the operator's machines.
 */
export class InstanceError extends Error {
  readonly code: keyof typeof SENTENCES;
  /** For people. */
  readonly sentence: string;

  constructor(
    code: InstanceError['code'],
    message: string,
    { sentence = SENTENCES[code], ...options }: ErrorOptions & { sentence?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.sentence = sentence;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isInstanceId = (id: string): boolean => UUID.test(id);

/** Returns the id, which becomes part of names and paths; throws InstanceError if it is none. */
export function checkedInstanceId(id: string): string {
  if (!isInstanceId(id)) throw new InstanceError('failed', `"${id}" is no id of an instance`);
  return id;
}
