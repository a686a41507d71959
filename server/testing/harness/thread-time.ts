/**
 * Runs `work`, and resolves to its result and to the processor time, in milliseconds, that the
 * thread spent in the longest turn of its event loop meanwhile: so long nothing else of the process
 * ran. It is not the time by the clock, which other processes of a busy machine make longer. `own` is
 * all time of this thread meanwhile, `all` that of all threads of the process.
 */
export async function longestTurn<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; ms: number; own: number; all: number }> {
  const before = process.cpuUsage();
  let longest = 0;
  const first = threadMs();
  let last = first;
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    const result = await work();
    look();
    const { user, system } = process.cpuUsage(before);
    return { result, ms: longest, own: last - first, all: (user + system) / 1_000 };
  } finally {
    clearInterval(timer);
  }
}

/** Milliseconds of processor time that this thread has used. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
