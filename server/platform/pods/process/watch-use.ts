import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inBytes, type PodLimits } from '../limits.ts';
import { kill } from './descendants.ts';

/**
 * Measures what a pod uses while a command of it runs, and ends its commands when that is too much.
 * It looks at memory from time to time, and less often at the disk, so a pod may exceed its limits
 * for a moment. A container engine enforces such limits by itself.
 */

const exec = promisify(execFile);

export interface Use {
  /** Watches until the process has ended. */
  add(child: ChildProcess): void;
  /** Why the process was ended, as a sentence; undefined when it was not for its use. */
  exceeded(child: ChildProcess): string | undefined;
  stop(): void;
}

interface Options {
  folders: { root: string };
  limits: PodLimits;
  /** Ends a process that uses too much; without it, with its group. */
  end?: (child: ChildProcess) => void;
  /** Milliseconds between two looks, each of which reads what every process of the machine uses. */
  interval?: number;
}

const INTERVAL = 1_000;
/** The disk is measured at most this part of the time. */
const SHARE_OF_TIME = 0.05;

export function watchUse({ folders, limits, end = endGroup, interval = INTERVAL }: Options): Use {
  const running = new Set<ChildProcess>();
  const reasons = new WeakMap<ChildProcess, string>();
  let timer: NodeJS.Timeout | undefined;
  let diskDue = 0;

  const exceeds = async (): Promise<string | undefined> => {
    if ((await memoryOf(running)) > limits.memory)
      return `It used more than ${inBytes(limits.memory)} of memory.`;
    if (Date.now() < diskDue) return undefined;
    const began = Date.now();
    const disk = await diskOf(folders.root);
    diskDue = Date.now() + (Date.now() - began) / SHARE_OF_TIME;
    if (disk === undefined) return 'It has more files than can be measured within a minute.';
    return disk > limits.disk ? `It used more than ${inBytes(limits.disk)} of disk.` : undefined;
  };

  const poll = async () => {
    const reason = await exceeds().catch(() => undefined);
    if (reason !== undefined)
      for (const child of running) {
        reasons.set(child, reason);
        end(child);
      }
    timer = running.size === 0 ? undefined : setTimeout(poll, interval).unref();
  };

  return {
    add(child) {
      running.add(child);
      child.once('exit', () => running.delete(child));
      timer ??= setTimeout(poll, interval).unref();
    },
    exceeded: (child) => reasons.get(child),
    stop() {
      clearTimeout(timer);
    },
  };
}

const endGroup = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) kill(-pid);
};

const DISK_WITHIN_MS = 60_000;

/**
 * Bytes on disk; undefined where there are too many files to look at. A file that disappears
 * meanwhile makes `du` fail although it has measured.
 */
async function diskOf(folder: string): Promise<number | undefined> {
  const measured = await exec('du', ['-s', '-x', '-k', folder], {
    timeout: DISK_WITHIN_MS,
  }).catch((error) => error);
  if (measured.killed === true) return undefined;
  const kilobytes = Number.parseInt(measured.stdout ?? '', 10);
  return Number.isNaN(kilobytes) ? 0 : kilobytes * 1024;
}

/**
 * Bytes that these processes and their descendants have for themselves. The first process of a
 * namespace adopts those whose parent has ended, so none leaves the tree. 0 without /proc.
 */
async function memoryOf(roots: ReadonlySet<ChildProcess>): Promise<number> {
  const statuses = await statusesOfMachine();
  const children = Map.groupBy(statuses, ({ parent }) => parent);
  const bytes = new Map(statuses.map(({ pid, own }) => [pid, own]));
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child.pid), bytes.get(pid) ?? 0);
  return [...roots].reduce((total, { pid }) => total + (pid === undefined ? 0 : sum(pid)), 0);
}

interface Status {
  pid: number;
  parent: number;
  own: number;
}

let readAt = Number.NEGATIVE_INFINITY;
let reading: Promise<Status[]>;

/** Read once for all pods: a machine that runs many has many processes. */
function statusesOfMachine(): Promise<Status[]> {
  if (performance.now() - readAt < INTERVAL / 2) return reading;
  readAt = performance.now();
  reading = readStatuses();
  return reading;
}

async function readStatuses(): Promise<Status[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map(statusOf));
}

async function statusOf(pid: string): Promise<Status> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  const own = (field('RssAnon') + field('RssShmem')) * 1024;
  return { pid: Number(pid), parent: field('PPid'), own };
}
