import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchStatements } from './statements.ts';

/**
 * Loaded into a test run by `npm run statements`: at its end, each process writes down the
 * statements that the server sent in it, without those of the tests themselves.
 */

const ROOT = pathToFileURL(join(import.meta.dirname, '../../..', '/')).href;
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
export function isOfServer(stack: string): boolean {
  const frames = stack.split('\n').map((line) => line.split(ROOT)[1] ?? '');
  const callers = frames.filter((path) => /^(server|cli)\//.test(path));
  const first = callers.find((path) => !/^server\/(db\/(?!hourly)|testing\/database\/)/.test(path));
  return first !== undefined && !/\/testing\/|\.test\.ts/.test(first);
}
