import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../fixtures/tasks/file-stores.ts';
import { runJob } from './run-job.ts';

const AT_END = join(import.meta.dirname, '../harness/at-end.ts');

const BEGINNING = `
  import { appendFileSync } from 'node:fs';
  import { setTimeout as pause } from 'node:timers/promises';
  import { after, test } from 'node:test';
  import { atEnd } from '${AT_END}';
  const note = (what) => appendFileSync(new URL('notes', import.meta.url), what + '\\n');
`;

/** Runs files of these names and contents in one process. */
async function run(contents: Record<string, string>) {
  const folder = await temporaryFolder();
  const files = Object.keys(contents);
  for (const file of files) await writeFile(join(folder, file), BEGINNING + contents[file]);
  // Where `node --test` runs this file, its processes report to that one instead.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const place = { root: folder, temporary: folder, env };
  const { tests, failure } = await runJob({ name: '', expected: 0, files }, 0, place);
  const notes = await readFile(join(folder, 'notes'), 'utf8').catch(() => '');
  return {
    failure,
    notes: notes.split('\n').slice(0, -1),
    outcomes: tests.map(({ name, outcome, nesting }) => [name, outcome, nesting]),
    errors: tests.flatMap(({ error }) => error ?? []),
  };
}

test('each file is loaded, tested and closed before the next; what the process shares is closed last', async () => {
  const { failure, notes, outcomes } = await run({
    'a.test.mjs': `
      test('before an await', () => note('a: first test'));
      await pause(100);
      after(() => note('a: closed'));
      test('after it', (t) => t.test('inside', () => note('a: second test')));
      note('a: loaded');
      atEnd(() => note('shared: closed'));`,
    'b.test.mjs': `
      note('b: loaded');
      after(() => note('b: closed'));
      test('the only one', () => note('b: test'));
      test('not here', { skip: true }, () => note('never'));`,
  });
  assert.deepEqual(notes, [
    'a: loaded',
    'a: first test',
    'a: second test',
    'a: closed',
    'b: loaded',
    'b: test',
    'b: closed',
    'shared: closed',
  ]);
  assert.deepEqual(outcomes, [
    ['before an await', 'pass', 0],
    ['inside', 'pass', 1],
    ['after it', 'pass', 0],
    ['the only one', 'pass', 0],
    ['not here', 'skip', 0],
  ]);
  assert.equal(failure, undefined);
});

test('a file that cannot be loaded, or whose end fails, fails by its name; its neighbours run', async () => {
  const { outcomes, errors } = await run({
    'broken.test.mjs': `test('never', () => {}); throw new Error('no such thing');`,
    'leaving.test.mjs': `
      after(() => { throw new Error('not closed'); });
      test('runs', () => {});`,
    'next.test.mjs': `test('runs as well', () => {});`,
  });
  assert.deepEqual(outcomes, [
    ['never', 'fail', 0],
    ['the file as such', 'fail', 0],
    ['runs', 'pass', 0],
    ['the file as such', 'fail', 0],
    ['runs as well', 'pass', 0],
  ]);
  assert.match(errors.join('\n'), /no such thing.*not closed/s);
});

test('an error after the end of a test is shown with the failure of its process', async () => {
  const { failure, outcomes } = await run({
    'late.test.mjs': `
      test('passes', () => void setTimeout(() => { throw new Error('too late'); }, 100));
      test('waits', () => pause(500));`,
  });
  assert.deepEqual(outcomes, [
    ['passes', 'pass', 0],
    ['waits', 'pass', 0],
  ]);
  assert.match(failure ?? '', /^It ended with code 1\..*too late/s);
});

test('a file without tests, and a process that ends in the middle, are failures with what was printed', async () => {
  const silent = await run({ 'silent.test.mjs': `console.log('I am here');` });
  assert.match(silent.failure ?? '', /^Not all tests were reported of silent\.test\.mjs/);
  for (const code of [0, 7]) {
    const ended = await run({
      'ended.test.mjs': `
        test('passes', () => {});
        test('ends all', async () => {
          await pause(300);
          console.error('out of memory');
          process.exit(${code});
        });
        test('never runs', () => assert.fail());`,
      'next.test.mjs': `test('neither does this', () => {});`,
    });
    assert.match(
      ended.failure ?? '',
      /^Not all tests were reported of ended\.test\.mjs, next\.test\.mjs\..*out of memory/s,
    );
  }
});
