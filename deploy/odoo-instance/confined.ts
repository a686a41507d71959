import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { canEnter } from '../../server/db/embedded/os-user.ts';
import { DEFAULT_LIMITS } from '../../server/platform/pods/limits.ts';
import { SOCKETS } from '../../server/platform/pods/places.ts';
import {
  bubblewrapArguments,
  OWN_SETTINGS,
} from '../../server/platform/pods/process/bubblewrap.ts';
import { FIRST_USER, find, SYSTEM_PATH } from '../../server/platform/pods/process/sandbox.ts';
import { watchUse } from '../../server/platform/pods/process/watch-use.ts';

/**
 * Runs Odoo as pods of this machine run agents, because the modules that it runs are theirs: in a
 * sandbox with its files, those of the branch read-only, the socket of PostgreSQL, and nothing else of
 * this machine or of the network.
 */

export interface Odoo {
  /** The program, as it is found in the sandbox. */
  program: string;
  /** Another root for `/usr`; undefined for that of this machine. */
  system: string | undefined;
  /** Folders of this machine that the program needs beside `/usr`. */
  readable: readonly string[];
  /** The folder of the socket of PostgreSQL, and its port. */
  socket: { folder: string; port: string };
}

export interface Run {
  args: readonly string[];
  /** The folder with the files of the branch. */
  code: string;
  /** A folder for its own files. */
  home: string;
  role: string;
  password: string;
  /** An open socket on which it serves. */
  listener?: number | undefined;
  input?: string | Readable | undefined;
  /** What is run instead of Odoo. */
  program?: string | undefined;
  /** Takes what the catcher of mails says of each; it runs beside what serves. */
  onMails?: ((said: Readable) => void) | undefined;
  onOutput: (text: string) => void;
}

/** As text, because the users of instances may not reach this folder. */
const CATCHER = await readFile(join(import.meta.dirname, 'catch-mails.py'), 'utf8');
/** The catcher has no socket of Odoo, and Odoo not what the catcher writes to. */
const CATCH_AND = 'python3 -c "$MAIL_CATCHER" 3<&- & exec 4<&-; unset MAIL_CATCHER; ';

/** An Odoo serves for hours, and each look reads what every process of the machine uses. */
const LOOK_AT_USE_MS = 5_000;

export class NotConfined extends Error {}

/** Rejects with NotConfined where this machine has no bubblewrap. */
export async function confinedOdoo(odoo: Odoo, { folder, id }: { folder: string; id: string }) {
  const bwrap = await find('bwrap', SYSTEM_PATH);
  if (bwrap === undefined)
    throw new NotConfined(
      'Odoo runs what agents write, so it must be confined: install bubblewrap (bwrap).',
    );
  const prlimit = await find('prlimit', SYSTEM_PATH);
  const etc = join(folder, 'etc');
  await mkdir(etc, { recursive: true, mode: 0o755 });
  for (const [name, content] of Object.entries(OWN_SETTINGS))
    await writeFile(join(etc, name), content);
  const user = userOf(id);
  // The user of the instance passes through it, and may not list it.
  if (user !== undefined) await chmod(folder, 0o711);
  if (user !== undefined && !(await canEnter(folder, user)))
    throw new NotConfined(
      `Odoo runs as a user of its own, who cannot enter ${folder}: give other users access ` +
        '(chmod o+x) to the directories above.',
    );

  // Those that die with it are ended by that.
  const end = (child: ChildProcess) => void child.kill('SIGKILL');
  const use = watchUse({
    folders: { root: folder },
    limits: DEFAULT_LIMITS,
    end,
    interval: LOOK_AT_USE_MS,
  });
  return (run: Run): { child: ChildProcess; exited: Promise<number> } => {
    const { folder: sockets, port } = odoo.socket;
    const view = bubblewrapArguments({
      workTree: run.code,
      tree: 'read-only',
      home: run.home,
      etc,
      sockets: { '.s.PGSQL.5432': join(sockets, `.s.PGSQL.${port}`) },
      readable: odoo.readable,
      system: odoo.system,
    });
    const limits = [
      // Without a user of its own, it would count the processes of the whole server.
      ...(user === undefined ? [] : [`--nproc=${DEFAULT_LIMITS.processes}`]),
      `--data=${2 * DEFAULT_LIMITS.memory}`,
      `--fsize=${DEFAULT_LIMITS.disk}`,
      '--core=0',
      '--',
    ];
    // Odoo takes a socket that is open only from whoever knows the number of its process.
    const serve = 'LISTEN_PID=$$ exec "$@"';
    const script = run.onMails === undefined ? serve : CATCH_AND.concat(serve);
    const program = ['sh', '-c', script, 'sh', run.program ?? odoo.program, ...run.args];
    const [file = '', ...args] = [
      ...(prlimit === undefined ? [] : [prlimit, ...limits]),
      bwrap,
      ...view,
      '--',
      ...program,
    ];
    const child = spawn(file, args, {
      cwd: '/',
      env: {
        PATH: SYSTEM_PATH,
        LANG: 'C.UTF-8',
        HOME: '/pod/home',
        TMPDIR: '/tmp',
        PGUSER: run.role,
        PGPASSWORD: run.password,
        PGHOST: SOCKETS,
        ...(run.listener === undefined ? {} : { LISTEN_FDS: '1' }),
        ...(run.onMails === undefined ? {} : { MAIL_CATCHER: CATCHER }),
      },
      stdio: ['pipe', 'pipe', 'pipe', run.listener ?? 'ignore', run.onMails ? 'pipe' : 'ignore'],
      ...user,
    });
    use.add(child);
    const input = child.stdin?.on('error', () => undefined);
    const { input: given = '' } = run;
    if (typeof given === 'string') input?.end(given);
    else if (input) pipeline(given, input).catch(() => undefined);
    for (const stream of [child.stdout, child.stderr] as Readable[])
      stream.setEncoding('utf8').on('data', run.onOutput);
    run.onMails?.(child.stdio[4] as Readable);
    const exited = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        const exceeded = use.exceeded(child);
        if (exceeded !== undefined) run.onOutput(`${exceeded}\n`);
        resolve(code ?? 1);
      });
    });
    return { child, exited };
  };
}

/**
 * As root, each instance has a user of its own, as pods have: no other process of this machine is its.
 */
function userOf(id: string) {
  if (process.getuid?.() !== 0) return undefined;
  const number = FIRST_USER + Number.parseInt(id.slice(-6), 16);
  return { uid: number, gid: number };
}

/** Makes a folder that the sandbox of an instance may write to. */
export async function ownFolder(path: string, id: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const user = userOf(id);
  if (user !== undefined) await chown(path, user.uid, user.gid);
  return path;
}
