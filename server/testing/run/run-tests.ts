import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, normalize, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../database/global-setup.ts';
import type { TestLine } from './events-reporter.ts';
import { type Job, jobsOf } from './jobs.ts';
import { type JobEnd, killJobs, runJob } from './run-job.ts';

/**
 * `npm test`: the static checks and the test files. `npm run test:faults`: the files named
 * `*.fault.test.ts`, whose tests wait by their nature or load the whole machine.
 */

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FOLDERS = ['cli', 'client', 'deploy', 'server', 'web'];
const DURATIONS = join(import.meta.dirname, 'durations.json');
const MOST_SLOW = 40;

const HELP = `npm test [-- options] [path …]

Runs the static checks and the tests, or only the tests below the paths.

  --faults           run the tests of faults instead (\`npm run test:faults\`)
  --jobs <n>         processes at a time (default: two more than there are processors)
  --slowest          print the ${MOST_SLOW} slowest files and tests
  --save-durations   keep how long each file took, for the order of the next runs
  --help
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    faults: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    slowest: { type: 'boolean', default: false },
    'save-durations': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const CHECKS: Job = {
  name: 'npm run check',
  expected: Number.POSITIVE_INFINITY,
  files: [],
  command: ['npm', 'run', 'check'],
};

/** By a signal: the jobs end at once, and the run removes what it has made. */
let interrupted = false;

/** How many processes at a time. Throws an Error where the option is no number of them. */
function jobsAtOnce(): number {
  if (/^[1-9]\d{0,2}$/.test(options.jobs)) return Number(options.jobs);
  throw new Error(`--jobs must be a number of processes from 1 to 999, not "${options.jobs}"`);
}

async function main(): Promise<boolean> {
  const atOnce = jobsAtOnce();
  const began = performance.now();
  const files = (await testFiles()).filter(isWanted);
  const missing = positionals.filter((path) => !files.some((file) => isAt(file, path)));
  if (missing.length > 0) throw new Error(`no test file is at ${missing.join(', ')}`);
  const durations = JSON.parse(await readFile(DURATIONS, 'utf8').catch(() => '{}'));
  // Those of faults stand alone: they kill processes, and load what others would share.
  const jobs: Job[] = options.faults ? jobsOf(files, durations, 0) : jobsOf(files, durations);
  if (positionals.length === 0 && !options.faults) jobs.unshift(CHECKS);
  const ends = await runAll(jobs, atOnce);
  const tests = ends.flatMap((end) => end.tests);
  const took = timesOf(tests);
  if (options['save-durations']) await saveDurations({ ...durations, ...took });
  if (options.slowest) printSlowest(took, tests);
  return printSummary(ends, tests, performance.now() - began);
}

async function testFiles(): Promise<string[]> {
  const patterns = FOLDERS.map((folder) => `${folder}/**/*.test.ts`);
  const exclude = (path: string) => path.includes('node_modules');
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: ROOT, exclude })) files.push(file);
  return files;
}

/** A path that is given runs whatever kind of test it is. */
const isWanted = (file: string): boolean =>
  positionals.length === 0
    ? file.endsWith('.fault.test.ts') === options.faults
    : positionals.some((path) => isAt(file, path));

/** `path` is from the root of the project, as a shell may complete it. */
function isAt(file: string, path: string): boolean {
  const from = normalize(path).replace(/\/$/, '');
  return from === '.' || file === from || file.startsWith(`${from}/`);
}

async function runAll(jobs: readonly Job[], atOnce: number): Promise<JobEnd[]> {
  const temporary = await mkdtemp(join(tmpdir(), 'guildhall-run-'));
  await globalSetup();
  try {
    const cache = join(ROOT, 'node_modules', '.cache', 'compile');
    const env = { ...process.env, NODE_COMPILE_CACHE: cache };
    const ends: JobEnd[] = [];
    const all = [...jobs.entries()];
    const together = all.filter(([, { exclusive }]) => !exclusive);
    const alone = all.filter(([, { exclusive }]) => exclusive);
    const work = async (waiting: [number, Job][]) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (interrupted) return;
        const [index, job] = next;
        const began = performance.now();
        const end = await runJob(job, index, { root: ROOT, temporary, env });
        printJob(job, end, performance.now() - began);
        ends.push(end);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, () => work(together)));
    await work(alone);
    return ends;
  } finally {
    await globalTeardown();
    await rm(temporary, { recursive: true });
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const pathOf = ({ file }: TestLine): string => relative(ROOT, file);
/** Not those that hold others. */
const count = (tests: readonly TestLine[], outcome: TestLine['outcome']): number =>
  tests.filter((test) => test.outcome === outcome).length;

function printJob(job: Job, { tests, failure }: JobEnd, ms: number): void {
  const failed = tests.filter(({ outcome }) => outcome === 'fail');
  const mark = failed.length > 0 || failure !== undefined ? '✖' : '✔';
  const held = job.files.length > 0 ? `${job.files.length} files, ${tests.length} tests, ` : '';
  print(`${mark} ${job.name} (${held}${seconds(ms)})`);
  for (const test of failed) print(`  ✖ ${pathOf(test)}: ${test.name}\n${indented(test.error)}`);
  if (failure !== undefined) print(indented([job.files.join(' '), failure].join('\n')));
}

/** Of an error: a difference of large objects has thousands of lines. */
const MOST_SHOWN = 4_000;

const indented = (text = ''): string => text.slice(0, MOST_SHOWN).replaceAll(/^/gm, '    ');

function timesOf(tests: readonly TestLine[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const test of tests.filter(({ nesting }) => nesting === 0))
    times[pathOf(test)] = Math.round((times[pathOf(test)] ?? 0) + test.ms);
  return times;
}

const saveDurations = (times: Record<string, number>) => {
  const sorted = Object.entries(times).sort(([a], [b]) => (a < b ? -1 : 1));
  return writeFile(DURATIONS, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
};

function printSlowest(times: Record<string, number>, tests: readonly TestLine[]): void {
  const files = Object.entries(times).sort(([, a], [, b]) => b - a);
  print(`\nThe ${MOST_SLOW} slowest files:`);
  for (const [file, ms] of files.slice(0, MOST_SLOW)) print(`  ${seconds(ms)}  ${file}`);
  const single = tests.filter(({ nesting }) => nesting === 0).sort((a, b) => b.ms - a.ms);
  print(`\nThe ${MOST_SLOW} slowest tests:`);
  for (const test of single.slice(0, MOST_SLOW))
    print(`  ${seconds(test.ms)}  ${pathOf(test)}: ${test.name}`);
}

function printSummary(ends: readonly JobEnd[], tests: readonly TestLine[], ms: number): boolean {
  const failed = tests.filter(({ outcome }) => outcome === 'fail');
  const broken = ends.filter(({ failure }) => failure !== undefined).length;
  if (failed.length > 0) print('\nFailed:');
  for (const test of failed) print(`  ✖ ${pathOf(test)}: ${test.name}`);
  if (broken > 0) print(`\n${broken} processes failed: see above.`);
  // As Node.js's own reporter closes a run, for the programs that read its counts. A test that was
  // cancelled has failed here; suites are not counted, and no test is marked as one to do.
  print(`\nℹ tests ${tests.length}`);
  print('ℹ suites 0');
  print(`ℹ pass ${count(tests, 'pass')}`);
  print(`ℹ fail ${failed.length}`);
  print('ℹ cancelled 0');
  print(`ℹ skipped ${count(tests, 'skip')}`);
  print('ℹ todo 0');
  print(`ℹ duration_ms ${Math.round(ms)}`);
  return failed.length === 0 && broken === 0 && !interrupted;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted = true;
    killJobs();
  });

if (options.help) process.stdout.write(HELP);
else
  process.exitCode = await main().then(
    (passed) => (passed ? 0 : 1),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      return 1;
    },
  );
