import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { processesWith } from '../../processes/processes.ts';

/** Where a run of the skipped tests fetches programs to, and what it starts. */

export const ROOT = join(import.meta.dirname, '../../../..');

interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

type Run = (
  program: string,
  args: readonly string[],
  options?: Options,
) => Promise<{ stdout: string; stderr: string }>;

export interface Place {
  /** Absolute. What is fetched is in it; it is kept if the caller named it. */
  folder: string;
  /** A folder of this run alone, which is removed at its end. Every user may enter it. */
  own: string;
  /** Programs of the folder are found with it, with their libraries. */
  env: NodeJS.ProcessEnv;
  /** The environment of what `atEnd` ends: the end of tests and of commands leaves it alone. */
  kept: NodeJS.ProcessEnv;
  /** Runs a command to its end. Rejects with what it has said if it fails, or is interrupted. */
  run: Run;
  has(program: string, ...args: string[]): Promise<boolean>;
  /** Unpacks the first of these packages that Debian has, and what it needs beyond what is installed. */
  unpack(...names: string[]): Promise<void>;
  /** Runs it to its end, and shows what it prints; returns that, and its status. */
  show(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Shown>;
  /** Ends what tests and commands have left, and says what that was. */
  clear(): Promise<string[]>;
  /** At the end of the run, the last one first. */
  atEnd(end: () => Promise<unknown>): void;
  /** Commands and tests end at once, and no other one begins. */
  interrupt(): void;
  readonly interrupted: boolean;
  close(): Promise<void>;
}

interface Shown {
  out: string;
  status: number | null;
}

/** What was told to end has this long to remove what it has made. */
const GRACE_MS = 20_000;
const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';

/**
 * `named`: a folder that is to stay; `grace`: milliseconds. Throws an Error with a sentence if it cannot be used: no folder
 * of others is changed.
 */
export async function openPlace(named: string | undefined, grace = GRACE_MS): Promise<Place> {
  const own = await mkdtemp(join(tmpdir(), 'guildhall-skipped-'));
  await chmod(own, 0o755);
  const temporary = join(own, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  const folder = await folderOf(named ?? join(own, 'fetched')).catch(async (error) => {
    await rm(own, { recursive: true });
    throw error;
  });
  const root = join(folder, 'root');

  const kept: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: [join(root, 'usr/sbin'), join(root, 'usr/bin'), process.env.PATH].join(delimiter),
    LD_LIBRARY_PATH: [
      join(root, `usr/lib/${MACHINE}-linux-gnu`),
      ...(process.env.LD_LIBRARY_PATH ?? '').split(delimiter).filter(Boolean),
    ].join(delimiter),
  };
  // Most of what tests start gets their PATH and nothing else, so that it is found by that.
  const mark = join(own, 'bin');
  const env = { ...kept, PATH: `${kept.PATH}${delimiter}${mark}`, TMPDIR: temporary };

  const interruption = new AbortController();
  const groups = new Set<number>();
  const ends: (() => Promise<unknown>)[] = [];

  /** In a group of its own: a terminal's Ctrl-C comes to this process alone, which passes it on. */
  function begin(program: string, args: readonly string[], options: Options, err: 'pipe' | 2) {
    interruption.signal.throwIfAborted();
    const child = spawn(program, args, {
      cwd: ROOT,
      env,
      ...options,
      stdio: ['ignore', 'pipe', err],
      detached: true,
    });
    const { pid } = child;
    if (pid !== undefined) groups.add(pid);
    let late: NodeJS.Timeout | undefined;
    const ended = new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      // What it has left would keep its output open.
      child.once('exit', () => (late = setTimeout(() => signal(-(pid ?? 0), 'SIGKILL'), grace)));
      child.once('close', done);
    }).finally(() => {
      clearTimeout(late);
      if (pid !== undefined) groups.delete(pid);
    });
    return { child, ended };
  }

  const run: Run = async (program, args, options = {}) => {
    const { child, ended } = begin(program, args, options, 'pipe');
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    const status = await ended;
    interruption.signal.throwIfAborted();
    if (status === 0) return { stdout, stderr };
    const said = stderr.trim().split('\n').slice(-3).join('\n');
    throw Object.assign(new Error(`${program} ${args[0]} failed: ${said}`), { stderr });
  };

  async function unpack(...names: string[]): Promise<void> {
    const debs = join(folder, 'debs');
    await mkdir(debs, { recursive: true });
    let missing: unknown;
    for (const name of names)
      try {
        const { stdout } = await run('apt-get', ['-s', 'install', '--no-install-recommends', name]);
        const wanted = [...stdout.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)];
        const files = wanted.map(([, each, version]) => `${each}=${version}`);
        const into = await mkdtemp(join(debs, `${name}-`));
        // As root, apt-get fetches as another user, who may not write there; it then does so itself.
        if (files.length > 0) await run('apt-get', ['download', ...files], { cwd: into });
        for (const file of await readdir(into)) await run('dpkg', ['-x', join(into, file), root]);
        return;
      } catch (error) {
        interruption.signal.throwIfAborted();
        missing = error;
      }
    throw new Error(`apt-get has no ${names.join(' or ')}: ${String(missing).split('\n').at(-1)}`);
  }

  async function show(program: string, args: string[], given: NodeJS.ProcessEnv): Promise<Shown> {
    const { child, ended } = begin(program, args, { env: { ...env, ...given } }, 2);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      process.stdout.write(chunk);
    });
    const status = await ended;
    return { out, status };
  }

  async function clear(): Promise<string[]> {
    const deadline = performance.now() + grace;
    let left = await processesWith(mark);
    while (left.length > 0 && performance.now() < deadline) {
      await new Promise((done) => setTimeout(done, 100));
      left = await processesWith(mark);
    }
    for (const { pid } of left) signal(pid, 'SIGKILL');
    return left.map(({ command }) => command);
  }

  return {
    folder,
    own,
    env,
    kept,
    run,
    has: (program, ...args) =>
      run(program, args.length > 0 ? args : ['--version']).then(
        () => true,
        () => false,
      ),
    unpack,
    show,
    clear,
    atEnd: (end) => ends.unshift(end),
    interrupt() {
      interruption.abort(new Error('interrupted'));
      const told = [...groups];
      for (const group of told) signal(-group, 'SIGINT');
      // Not those that have ended: their numbers may be others' by then.
      const kill = () =>
        told.filter((each) => groups.has(each)).map((each) => signal(-each, 'SIGKILL'));
      setTimeout(kill, grace).unref();
    },
    get interrupted() {
      return interruption.signal.aborted;
    },
    async close() {
      await clear();
      const failures: unknown[] = [];
      for (const end of ends) await end().catch((error) => failures.push(error));
      await rm(own, { recursive: true, force: true });
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Makes it if it is not there. The users of the programs in it must be able to enter it. */
async function folderOf(named: string): Promise<string> {
  // npm runs its scripts in the folder of the project, and says where it was called.
  const folder = resolve(process.env.INIT_CWD ?? '', named);
  if (folder.includes(delimiter))
    throw new Error(`--folder must not contain "${delimiter}", because it becomes part of PATH`);
  const before = await stat(folder).catch(() => undefined);
  if (before !== undefined && !before.isDirectory())
    throw new Error(`--folder must be a folder: ${folder} is none`);
  const first = await mkdir(folder, { recursive: true });
  for (let each = folder; first?.startsWith('/') && each.startsWith(first); each = dirname(each))
    await chmod(each, 0o755);
  if (process.getuid?.() === 0)
    for (let each = folder; each !== dirname(each); each = dirname(each))
      if (((await stat(each)).mode & 0o001) === 0)
        throw new Error(
          `--folder must be where every user may enter, because some programs run as others: ${each} is closed to them`,
        );
  return folder;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
