import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcessesOf, kill, markOfCommand } from '../../platform/pods/process/descendants.ts';
import { SYSTEM_PATH } from '../../platform/pods/process/sandbox.ts';
import { boundedLog } from './bounded-log.ts';
import { InstanceError } from './instance-driver.ts';

/** Runs a program of the operator's for an instance. */

/** What it is given: as `{name}` in its arguments, and as GUILDHALL_INSTANCE_NAME. */
export interface ProgramValues {
  id: string;
  name: string;
  port: number;
  database: string;
  /** Where it may keep files; they go with the instance. */
  folder: string;
  version: string;
  edition: string;
  /** A file that says what it runs of the repository, and one for what has come of it. */
  order: string;
  report: string;
  /** A folder for the mails that it wanted to send, each a file. */
  mails: string;
  /** A file with a command that is to be run in it. */
  command: string;
}

export interface RunningProgram {
  /** Resolves once it and its descendants have ended. Never rejects. */
  readonly exited: Promise<{ code: number | null }>;
  /** The last that it has printed, without the password. */
  last(): string;
  /** What it prints. */
  readonly output: readonly Readable[];
  kill(): Promise<void>;
}

const MARK = 'GUILDHALL_ERP_INSTANCE';
export const markOfInstance = (id: string): string => `${MARK}=${id}`;

/** Ends the program when this process dies, however that happens. */
const GUARDIAN = join(import.meta.dirname, '../../platform/pods/process/guardian.ts');
const NODE_FOLDER = dirname(process.execPath);

/**
 * `password` is in its environment only: other users can read arguments. Nothing of the server's own
 * environment is in it. `log`: a file for what it prints. Rejects with InstanceError.
 */
export async function launchProgram(
  command: readonly string[],
  { values, password, log }: { values: ProgramValues; password: string | undefined; log: string },
): Promise<RunningProgram> {
  const mark = randomUUID();
  const given = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  const fill = (text: string) =>
    given.reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, value), text);
  const child = spawn(process.execPath, [GUARDIAN, ...command.map(fill)], {
    cwd: values.folder,
    env: {
      PATH: `${NODE_FOLDER}:${SYSTEM_PATH}`,
      LANG: 'C.UTF-8',
      HOME: values.folder,
      ...Object.fromEntries(
        given.map(([name, value]) => [`GUILDHALL_INSTANCE_${name.toUpperCase()}`, value]),
      ),
      ...(password === undefined ? {} : { GUILDHALL_INSTANCE_PASSWORD: password }),
      [MARK]: values.id,
      GUILDHALL_COMMAND: mark,
    },
    // The guardian learns by the fourth that this process has died.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = exitOf(child, mark);
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new InstanceError('failed', `${command[0]} cannot be started`, { cause: error });
  }
  const [output, errors] = [child.stdout as Readable, child.stderr as Readable];
  const last = boundedLog(log, { output, errors, secret: password });
  return {
    exited,
    last,
    output: [output, errors],
    async kill() {
      if (child.pid !== undefined) kill(-child.pid);
      await exited;
    },
  };
}

/** For what it has printed last to arrive, in milliseconds. */
const LAST_WORDS_MS = 500;

function exitOf(child: ChildProcess, mark: string): Promise<{ code: number | null }> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null }));
    child.once('exit', async (code) => {
      if (child.pid !== undefined) kill(-child.pid);
      await endProcessesOf(markOfCommand(mark)).catch(() => undefined);
      await Promise.race([closed, pause(LAST_WORDS_MS)]);
      resolve({ code });
    });
  });
}
