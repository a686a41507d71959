/** What one process does: some test files, one after the other, or a command. */
export interface Job {
  name: string;
  /** Milliseconds that it took before. */
  expected: number;
  files: string[];
  /** Instead of files. */
  command?: string[];
  /** No other job may run at the same time. */
  exclusive?: boolean;
}

/** Milliseconds of each file in an earlier run, by its path from the root of the project. */
export type Durations = Readonly<Record<string, number>>;

const UNKNOWN_MS = 3_000;
/** Longer ones would leave the other processes waiting at the end of a run. */
const LONGEST_MS = 120_000;

/** These look at every statement that their process sends, which no other file may add to. */
export const OWN_PROCESS: readonly string[] = [
  'server/testing/contract/every-operation.test.ts',
  'server/testing/contract/session-cost.test.ts',
];

/** These load the whole machine and measure how long others wait meanwhile. */
export const OWN_MACHINE: readonly string[] = ['server/testing/system/overload.fault.test.ts'];

/**
 * Divides test files into jobs, the longest first. Files that stand beside each other share a
 * process up to `longest`, which spares them the start of Node.js, of a server and of a database.
 */
export function jobsOf(
  files: readonly string[],
  durations: Durations,
  longest = LONGEST_MS,
): Job[] {
  const jobs: Job[] = [];
  let open: Job | undefined;
  for (const file of [...files].sort()) {
    const expected = durations[file] ?? UNKNOWN_MS;
    if (OWN_MACHINE.includes(file))
      jobs.push({ name: file, expected, files: [file], exclusive: true });
    else if (OWN_PROCESS.includes(file)) jobs.push({ name: file, expected, files: [file] });
    else if (open !== undefined && open.expected + expected <= longest) {
      open.files.push(file);
      open.expected += expected;
    } else {
      open = { name: file, expected, files: [file] };
      jobs.push(open);
    }
  }
  for (const job of jobs) if (job.files.length > 1) job.name = `${job.name} … ${job.files.at(-1)}`;
  return jobs.sort((a, b) => b.expected - a.expected);
}
