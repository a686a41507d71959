import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOdooTests, summaryOf } from './odoo-tests.ts';

/** What the log of Odoo says about tests. Its lines are as those of Odoo 19.0. */

const AT = '2026-11-28 11:18:12,325 2';
const FAILED = `${AT} ERROR db_new odoo.addons.books.tests.test_book: FAIL: TestBook.test_long
Traceback (most recent call last):
  File "/pod/work/books/tests/test_book.py", line 7, in test_long
    self.assertTrue(book.is_long, 'a book of 300 pages is long')
    ~~~~~~~~~~~~~~~^^^^^^^^^^^^^^
  File "/usr/lib/python3.13/unittest/case.py", line 744, in assertTrue
    raise self.failureException(msg)
AssertionError: False is not true : a book of 300 pages is long
 
${AT} INFO db_new odoo.modules.loading: Module books loaded in 1.22s
${AT} ERROR db_new odoo.tests.result: 1 failed, 0 error(s) of 3 tests when loading database 'db_new' 
`;

test('a failed test has its name, its file with the line, and its traceback', () => {
  const { ran, failed } = readOdooTests(FAILED, '/pod/work');
  assert.equal(ran, 3);
  assert.equal(failed.length, 1);
  const [{ test: name, file, text } = assert.fail()] = failed;
  assert.deepEqual([name, file], ['TestBook.test_long', 'books/tests/test_book.py:7']);
  assert.match(text, /^Traceback .*\n {2}File "books\/tests\/test_book.py", line 7/);
  assert.match(text, /AssertionError: False is not true : a book of 300 pages is long$/);
  assert.equal(
    summaryOf({ ran, failed }),
    `1 of 3 tests have failed:\n\nTestBook.test_long (books/tests/test_book.py:7)\n${text}\n`,
  );
});

test('tests that have passed, that were none, and that were not come to are told apart', () => {
  const of = (line: string) => summaryOf(readOdooTests(`${AT} INFO db ${line}`, '/pod/work'));
  const counted = (count: number) =>
    `odoo.tests.result: 0 failed, 0 error(s) of ${count} tests when`;
  assert.equal(of(counted(3)), 'All of 3 tests have passed.\n');
  assert.match(of(counted(0)), /^No test was run/);
  assert.match(of('odoo.registry: x'), /^Odoo did not come to the tests/);
});

test('what a log can hold is bounded', () => {
  const one = FAILED.split('\n').slice(0, 8).join('\n');
  const { failed } = readOdooTests(`${one}\n${'x'.repeat(5_000)}\n`.repeat(60), '/pod/work');
  assert.equal(failed.length, 50);
  assert.ok(failed.every(({ text }) => text.length <= 2_000));
});
