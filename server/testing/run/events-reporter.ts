import { join } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** One test, as a process of tests reports it to `run-tests.ts`: a line of JSON. */
export interface TestLine {
  outcome: 'pass' | 'fail' | 'skip';
  /** Absolute path of its file. */
  file: string;
  name: string;
  /** How many tests of its file this one is in. */
  nesting: number;
  ms: number;
  /** What failed, with its stack. */
  error?: string;
}

/** That all tests of a file have ended: what it has reported is all that it has. */
export interface FileEnd {
  ended: string;
}

/** What Node.js closes a run with, which `run-tests.ts` counts itself. */
const COUNTED = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** There, each file is a test that holds those of the file. */
const RUN_FILES = join(import.meta.dirname, 'run-files.ts');

export default async function* lines(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    // Such as an error after the end of a test, which is of no test and ends the process with 1.
    if (event.type === 'test:diagnostic' && !COUNTED.test(event.data.message))
      process.stderr.write(`${event.data.message}\n`);
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, file = '', skip, details } = event.data;
    const error = event.type === 'test:fail' ? event.data.details.error : undefined;
    const line: TestLine = {
      file,
      name,
      nesting: nesting - 1,
      ms: details.duration_ms,
      outcome: error !== undefined ? 'fail' : skip === undefined ? 'pass' : 'skip',
    };
    if (error !== undefined) line.error = textOf(error);
    if (file !== RUN_FILES) {
      yield `${JSON.stringify(line)}\n`;
      continue;
    }
    if (error !== undefined && !failedInside(error))
      yield `${JSON.stringify({ ...line, file: name, name: 'the file as such', nesting: 0 })}\n`;
    yield `${JSON.stringify({ ended: name } satisfies FileEnd)}\n`;
  }
}

const failedInside = (error: Error): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed';

/** The test runner wraps what a test has thrown. */
function textOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : (error.stack ?? String(error));
}
