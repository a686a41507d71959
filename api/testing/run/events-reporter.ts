import type { TestEvent } from 'node:test/reporters';

/** One test, as a process of tests reports it to `run-tests.ts`: a line of JSON. */
export interface TestLine {
  outcome: 'pass' | 'fail' | 'skip';
  /** Absolute path of its file. */
  file: string;
  name: string;
  /** How many tests this one is in. */
  nesting: number;
  ms: number;
  /** What failed, with its stack. */
  error?: string;
}

export default async function* lines(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, file = '', skip, details } = event.data;
    const failed = event.type === 'test:fail';
    const line: TestLine = {
      file,
      name,
      nesting,
      ms: details.duration_ms,
      outcome: failed ? 'fail' : skip === undefined ? 'pass' : 'skip',
    };
    if (failed) line.error = textOf(event.data.details.error);
    yield `${JSON.stringify(line)}\n`;
  }
}

/** The test runner wraps what a test has thrown. */
function textOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : (error.stack ?? String(error));
}
