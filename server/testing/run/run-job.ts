import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEnd, TestLine } from './events-reporter.ts';
import type { Job } from './jobs.ts';

export interface JobEnd {
  tests: TestLine[];
  /** Why the job as such failed, with the last of what it printed. */
  failure: string | undefined;
}

interface JobPlace {
  /** Of the project. */
  root: string;
  /** A folder for files of the run. */
  temporary: string;
  env: NodeJS.ProcessEnv;
}

/** Only ends what hangs. */
const WITHIN_MS = 1_200_000;
const MOST_PRINTED = 20_000;

/** The process groups of the jobs that run. */
const running = new Set<number>();

/** Ends all jobs at once, with what their tests have started. */
export function killJobs(): void {
  for (const group of running) kill(group);
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}

/** Runs a job in a process of its own, to its end. Never rejects because of a test. */
export async function runJob(job: Job, index: number, place: JobPlace): Promise<JobEnd> {
  const report = join(place.temporary, `${index}.jsonl`);
  const [program = '', ...args] = job.command ?? testCommand(job, report, place.root);
  const child = spawn(program, args, {
    cwd: place.root,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, which can be ended as a whole
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (chunk: string) => {
      printed = `${printed}${chunk}`.slice(-MOST_PRINTED);
    });
  const group = child.pid;
  if (group !== undefined) running.add(group);
  const timer = setTimeout(() => group !== undefined && kill(group), WITHIN_MS);
  const ended = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // What a test has left would keep the output open.
    child.once('exit', () => group !== undefined && kill(group));
    child.once('close', (code, signal) =>
      resolve(
        code === 0 ? undefined : `It ended ${signal ? `by ${signal}` : `with code ${code}`}.`,
      ),
    );
  });
  clearTimeout(timer);
  if (group !== undefined) running.delete(group);
  const lines = await linesOf(report);
  const tests = lines.filter((line): line is TestLine => !('ended' in line));
  const whole = new Set(lines.map((line) => ('ended' in line ? line.ended : undefined)));
  const cut = job.files.filter((file) => {
    const path = join(place.root, file);
    return !whole.has(path) || !tests.some((test) => test.file === path);
  });
  const hasFailed = tests.some(({ outcome }) => outcome === 'fail');
  if (cut.length > 0)
    return {
      tests,
      failure: `Not all tests were reported of ${cut.join(', ')}.\n${ended ?? ''}\n${printed}`,
    };
  if (ended === undefined || hasFailed) return { tests, failure: undefined };
  return { tests, failure: `${ended}\n${printed}` };
}

const testCommand = ({ files }: Job, report: string, root: string): string[] => [
  process.execPath,
  `--test-reporter=${join(import.meta.dirname, 'events-reporter.ts')}`,
  `--test-reporter-destination=${report}`,
  join(import.meta.dirname, 'run-files.ts'),
  ...files.map((file) => join(root, file)),
];

const linesOf = async (report: string): Promise<(TestLine | FileEnd)[]> =>
  (await readFile(report, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
