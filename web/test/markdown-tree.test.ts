import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, type Part, TooMuch, treeOf } from '../src/ui/markdown/tree.ts';

/** What is drawn of Markdown is bounded, whatever its author wrote. */

const count = (parts: readonly Part[]): number =>
  parts.reduce<number>(
    (total, part) => total + 1 + (typeof part === 'string' ? 0 : count(part[2])),
    0,
  );

test('a table is drawn with the cells that it has: short rows are not filled up', () => {
  const [table] = treeOf(`${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|b|\n'.repeat(500)}`);
  assert.ok(count([table as Part]) < 5_000);
});

test('a text with more parts, a deeper one and a longer one are too much', () => {
  for (const text of [
    'a\n\n'.repeat(LIMITS.parts / 2 + 1),
    `${'> '.repeat(LIMITS.depth + 1)}a`,
    'a'.repeat(LIMITS.characters + 1),
    // It would take the parser two minutes.
    `${'- '.repeat(10_000)}a`,
  ])
    assert.throws(() => treeOf(text), TooMuch);
});

test('at the limits, it is drawn', () => {
  assert.ok(count(treeOf('a\n\n'.repeat(1_000))) <= LIMITS.parts);
  assert.equal(treeOf(`${'> '.repeat(LIMITS.depth - 3)}a`).length, 1);
  assert.deepEqual(treeOf('a'.repeat(LIMITS.characters)), [
    ['p', {}, ['a'.repeat(LIMITS.characters)]],
  ]);
  assert.deepEqual(treeOf('* * *\n- - -\n***'), [
    ['hr', {}, []],
    ['hr', {}, []],
    ['hr', {}, []],
  ]);
});

test('links lead to the web and to mail addresses, by addresses of a bounded length', () => {
  for (const url of ['https://a.test/b?c=1#d', 'HTTP://a.test', 'mailto:a@b.test'])
    assert.deepEqual(treeOf(`[a](${url})`), [['p', {}, [['a', { href: url }, ['a']]]]]);
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,a',
    '/sign-out',
    '//a.test',
    'vbscript:a',
    `https://a.test/${'b'.repeat(LIMITS.address)}`,
  ])
    assert.deepEqual(treeOf(`[a](${url})`), [['p', {}, [['a', {}, ['a']]]]], url.slice(0, 40));
  assert.deepEqual(treeOf('[a]: https://one.test\n[a]: https://two.test\n\n[a]'), [
    ['p', {}, [['a', { href: 'https://one.test' }, ['a']]]],
  ]);
});
