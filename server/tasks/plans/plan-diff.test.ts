import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { anyText } from '../../testing/fixtures/any-text.ts';
import { threadMs } from '../../testing/harness/thread-time.ts';
import { type Hunk, linesOf, planDiff } from './plan-diff.ts';

/** Applies hunks as a caller would: what they do not show stays. */
function apply(text: string, hunks: Hunk[]): string {
  const old = linesOf(text);
  const result: string[] = [];
  let at = 0;
  for (const { old_start, old_lines, lines } of hunks) {
    const start = old_lines === 0 ? old_start : old_start - 1;
    result.push(...old.slice(at, start));
    at = start;
    for (const { change, text, no_newline } of lines) {
      const line = no_newline ? text : `${text}\n`;
      if (change !== 'added') assert.equal(old[at++], line);
      if (change !== 'removed') result.push(line);
    }
    assert.equal(at - start, old_lines);
  }
  return [...result, ...old.slice(at)].join('');
}

function holds(from: string, to: string): void {
  const { unified, hunks, added, removed } = planDiff(from, to);
  assert.equal(apply(from, hunks), to, 'hunks');
  const patched = unified && applyPatch(from, unified, { autoConvertLineEndings: false });
  assert.equal(unified === '' ? from : patched, to, 'unified');
  assert.equal(unified === '', from === to);
  assert.equal(linesOf(to).length - linesOf(from).length, added - removed);
}

const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'b', '- step', '+ step', ' ', '--- a', '@@') },
  anyText().map((text) => text.replaceAll('\n', '')),
  fc.constantFrom('\\ No newline at end of file', '\\', 'Index: x', '\r', '\u2028', '👩‍💻', 'é'),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')))
  .chain((lines) => fc.tuple(fc.constant(lines.flat().join('')), fc.oneof(fc.constant(''), line)))
  .map((parts) => parts.join(''));

/** A text, and one that was made from it by edits. */
const edited = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.array(fc.tuple(fc.nat(), fc.nat(3), line)))
  .map(([lines, edits]) => {
    const after = [...lines];
    for (const [at, removed, line] of edits) after.splice(at % (after.length + 1), removed, line);
    return [lines.join('\n'), after.join('\n')] as const;
  });

test('property: applying a diff to the first text gives the second, whatever they contain', () => {
  fc.assert(fc.property(text, text, holds), { numRuns: 1000 });
  fc.assert(
    fc.property(edited, ([from, to]) => holds(from, to)),
    { numRuns: 1000 },
  );
});

test('without a line feed at the end, with CRLF, empty: all of them differ', () => {
  for (const [from, to] of [
    ['', ''],
    ['', 'a'],
    ['a', ''],
    ['', '\n'],
    ['a', 'a\n'],
    ['a\n', 'a'],
    ['a\n', 'a\n\n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\r', 'a\r\n'],
    ['a\nb', 'a\nb\nc'],
  ] as const)
    holds(from, to);
  const { hunks, unified } = planDiff('a\nb\n', 'a\nc');
  assert.deepEqual(hunks, [
    {
      old_start: 1,
      old_lines: 2,
      new_start: 1,
      new_lines: 2,
      lines: [
        { change: 'same', text: 'a' },
        { change: 'removed', text: 'b' },
        { change: 'added', text: 'c', no_newline: true },
      ],
    },
  ]);
  assert.equal(
    unified,
    '--- a/plan.md\n+++ b/plan.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n',
  );
});

test('ten thousand lines: a small change is exact, and a complete rewrite takes a bounded time', () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}`);
  const changed = lines.with(5_000, 'another').join('\n');
  const small = planDiff(lines.join('\n'), changed);
  assert.deepEqual([small.added, small.removed, small.hunks.length], [1, 1, 1]);
  holds(lines.join('\n'), changed);
  const rewrites = [
    lines.map((line) => `${line}!`),
    lines.toReversed(),
    lines.map((_, i) => (i % 3 === 0 ? 'x' : 'y')),
    ['line 0', 'line 1', ...lines.toReversed(), 'line 9999'],
  ];
  for (const rewritten of rewrites) {
    const started = threadMs();
    holds(lines.join('\n'), rewritten.join('\n'));
    assert.ok(threadMs() - started < 5_000, `${threadMs() - started} ms`);
  }
});
