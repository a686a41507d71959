import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';

// Linux counts CPU time in hundredths of a second (USER_HZ) on every architecture that Node
// supports.
const TICK_US = 10_000;

/** Whether this system reports the resources of other processes. */
export const canMeasure = platform() === 'linux';

/**
 * Microseconds of CPU (user + system) that a process and its ended children have used; 0 once it is
 * gone.
 */
export function cpuOf(pid: number): number {
  const stat = readStat(pid);
  return stat === undefined ? 0 : stat.own + stat.buried;
}

/** The same for one thread of a process; the first one has the id of the process. */
export const cpuOfThread = (pid: number, thread: number): number =>
  readStat(`${pid}/task/${thread}`)?.own ?? 0;

/** The same, and for the processes that it has started and that go on. */
export function cpuOfGroup(pid: number): number {
  let total = cpuOf(pid);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat?.parent === pid) total += stat.own;
  }
  return total;
}

/** The same for PostgreSQL, of which `backend` is any session. */
export function cpuOfPostgres(backend: number): () => number {
  const postmaster = readStat(backend)?.parent;
  return () => (postmaster === undefined ? 0 : cpuOfGroup(postmaster));
}

/** Resident memory in MB. */
export function residentMb(pid: number): number {
  if (!canMeasure) return 0;
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}

function readStat(
  pid: number | string,
): { parent: number; own: number; buried: number } | undefined {
  if (!canMeasure) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything; fields 3 and following of proc(5) come after
    // the last one.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, buriedUser = 0, buriedSystem = 0] = fields.slice(11, 15);
    return {
      parent: fields[1] as number,
      own: (user + system) * TICK_US,
      buried: (buriedUser + buriedSystem) * TICK_US,
    };
  } catch {
    return undefined;
  }
}
