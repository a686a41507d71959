import { type ChildProcess, fork } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Runs programs that print little and end soon, such as git, through a small process. Node.js starts
 * a program by copying its own process first, and stands still meanwhile: decision 83 has the figures.
 */

export interface Program {
  file: string;
  args: string[];
  cwd: string;
  /** All of its environment. */
  env: Record<string, string>;
  /** What it reads. */
  input: Uint8Array;
  /** Milliseconds, after which it is killed. */
  timeout: number;
  /** Bytes of its output, and of its errors, beyond which it is killed. */
  maxBuffer: number;
}

/** What the process is told: to run a program, or, without one, to kill the program of this number. */
export interface Request {
  id: number;
  program?: Program;
}

export interface Answer {
  id: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** As `execFile` says why. */
  failure:
    | undefined
    | {
        name: string;
        message: string;
        code: string | number | undefined;
        killed: boolean;
        signal: NodeJS.Signals | null;
      };
}

/** A program that could not be started, was killed, or ended with another code than zero. */
export class ProgramError extends Error {
  /** Its exit code, or a code of Node.js: `ENOENT`, `ABORT_ERR`, `ERR_CHILD_PROCESS_STDIO_MAXBUFFER`. */
  readonly code: string | number | undefined;
  readonly killed: boolean;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor({ stdout, stderr, failure }: Answer & { failure: NonNullable<Answer['failure']> }) {
    super(failure.message);
    this.name = failure.name;
    this.code = failure.code;
    this.killed = failure.killed;
    this.signal = failure.signal;
    this.stdout = Buffer.from(stdout).toString();
    this.stderr = Buffer.from(stderr).toString();
  }
}

/** Told of every program that is started: a test counts those of a turn. */
export const STARTED = 'guildhall.program.started';
const started = channel(STARTED);

interface Launcher {
  process: ChildProcess;
  waiting: Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>;
}

let launcher: Launcher | undefined;
let requests = 0;

/**
 * Runs a program to its end and returns what it has printed. `signal` kills it. Errors:
 * ProgramError; an Error if the small process ended meanwhile, after which the next call starts
 * another.
 */
export async function runProgram(program: Program, signal?: AbortSignal): Promise<Buffer> {
  launcher ??= start();
  const { process: small, waiting } = launcher;
  const id = ++requests;
  started.publish(program);
  const kill = () => void small.send({ id } satisfies Request, () => undefined);
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      keepAlive(small, true);
      small.send({ id, program } satisfies Request, (error) => error && reject(error));
      if (signal?.aborted) kill();
      signal?.addEventListener('abort', kill);
    });
    if (answer.failure !== undefined)
      throw new ProgramError({ ...answer, failure: answer.failure });
    return Buffer.from(answer.stdout);
  } finally {
    signal?.removeEventListener('abort', kill);
    waiting.delete(id);
    if (waiting.size === 0) keepAlive(small, false);
  }
}

function start(): Launcher {
  // Compiled code that is cached halves the memory of the small process.
  const cache = getCompileCacheDir();
  const small = fork(join(import.meta.dirname, 'process.ts'), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
  });
  const made: Launcher = { process: small, waiting: new Map() };
  small.on('message', (answer: Answer) => made.waiting.get(answer.id)?.resolve(answer));
  const over = (why: string) => {
    if (launcher === made) launcher = undefined;
    for (const { reject } of made.waiting.values()) reject(new Error(why));
  };
  small.once('error', (error) => over(error.message));
  small.once('exit', (code, signal) =>
    over(`the process that starts programs has ended (${signal ?? code})`),
  );
  keepAlive(small, false);
  return made;
}

/** Whether this process waits for the other one. */
function keepAlive(small: ChildProcess, wanted: boolean): void {
  if (wanted) small.ref();
  else small.unref();
  if (wanted) small.channel?.ref();
  else small.channel?.unref();
}
