import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchStatements } from './statements.ts';

/**
 * Loaded into a test run by `npm run statements`: at its end, each process writes down the
 * statements that the server sent in it, without those of the tests themselves.
 */

const directory = process.env.GUILDHALL_TEST_STATEMENTS;
const texts = new Set<string>();

// The server's other commands (begin, set) do not depend on the schema.
const PREPARED = /^\s*(select|insert|update|delete|merge|values|with)\b/i;

if (directory !== undefined) {
  Error.stackTraceLimit = 60;
  watchStatements(({ name, text }) => {
    if (name === undefined || texts.has(text) || !PREPARED.test(text)) return;
    if (isOfServer(new Error().stack ?? '')) texts.add(text);
  });
  process.once('exit', () => {
    if (texts.size > 0)
      writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify([...texts]));
  });
}

/**
 * The caller is the first frame outside of the database code: an operation or a worker, not a test
 * or its fixtures.
 */
function isOfServer(stack: string): boolean {
  const callers = stack.split('\n').filter((line) => /\/(api|cli)\//.test(line));
  const first = callers.find(
    (line) => !/\/api\/db\/(?!hourly)|testing\/(watch-run|statements)\.ts/.test(line),
  );
  return first !== undefined && !/\/testing\/|\.test\.ts/.test(first);
}
