import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesOf, printed } from '../../testing/fixtures/billing/pdf.ts';
import { draw } from './draw.ts';

/** A rectangle, in points from the left and the top of the page. */
interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A piece of text: its size, the line that it stands on, and what all it paints is within. */
interface Painted {
  size: number;
  x: number;
  y: number;
  box: Box | undefined;
}

const PAGE = 841.89;

/** What is painted on the pages of a PDF that is not compressed: each place where text begins. */
function paintedBy(pdf: Uint8Array): Painted[][] {
  const text = Buffer.from(pdf).toString('latin1');
  const pages = [...text.matchAll(/\nstream\n(.*?)\nendstream/gs)].map(
    ([, content = '']) => content,
  );
  return pages
    .filter((content) => / Tm$/m.test(content))
    .map((content) => {
      const saved: (Box | undefined)[] = [];
      const painted: Painted[] = [];
      let [box, path, size]: [Box | undefined, Box | undefined, number] = [undefined, undefined, 0];
      let isNew = false;
      for (const line of content.split('\n')) {
        const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = line.split(' ').map(Number);
        if (line === 'q') saved.push(box);
        else if (line === 'Q') box = saved.pop();
        else if (line.endsWith(' re')) path = { left: a, top: b, right: a + c, bottom: b + d };
        else if (line === 'W n') box = path;
        else if (line.endsWith(' Tf')) size = b;
        else if (line === 'BT') isNew = true;
        else if (line.endsWith(' Tm') && isNew) {
          // The marks that follow are placed above and below it.
          painted.push({ size, x: e, y: PAGE - f, box });
          isNew = false;
        }
      }
      return painted;
    });
}

/** Whether what is painted within a box can reach the small letters of another text. */
function mayHide(box: Box, { size, x, y, box: other }: Painted): boolean {
  const isBeside = x >= box.right || (other?.right ?? Infinity) <= box.left;
  return !isBeside && box.top < y && box.bottom > y - size * 0.55;
}

const above = '\u0300\u0301\u0303\u0308\u0309'.repeat(8);
const below = '\u0323'.repeat(30);
const STACKED: [string, string][] = [
  ['Latin', [...'ơưyƠƯ'].map((letter) => letter + above).join('')],
  ['Latin, below', [...'aouey'].map((letter) => letter + below).join('')],
  ['Thai', `ก${'\u0e49\u0e38\u0e34'.repeat(20)} ข`],
  ['Devanagari', `क${'\u093f\u0941\u0902\u0951\u0952'.repeat(12)}`],
  ['Arabic', `ب${'\u064b\u064d\u0651\u0670'.repeat(15)}`],
  ['Hebrew', `א${'\u05b0\u05c1\u0591\u05af'.repeat(15)}`],
];
for (const [script, name] of STACKED)
  test(`marks that are stacked on a letter (${script}) hide no other line or column, and can be copied`, async () => {
    const address = Array.from({ length: 4 }, () => name.slice(0, 100));
    const customer = { name, address, country: 'DE' };
    const document = { ...printed, customer, issuer: { ...customer, country: 'IE' } };
    const pdf = await draw(document, 'a4', false);
    for (const painted of paintedBy(pdf)) {
      assert.ok(painted.length > 20);
      for (const { box, x, y, size } of painted) {
        assert.ok(box !== undefined, `the text at ${x}, ${y} may paint everywhere`);
        const inside = x >= box.left && x <= box.right && y > box.top && y < box.bottom;
        assert.ok(inside, 'it paints where it stands');
        for (const other of painted.filter((one) => Math.abs(one.y - y) > 3))
          assert.ok(
            !mayHide(box, other),
            `the text at ${y} of size ${size} hides that at ${other.y}`,
          );
        for (const other of painted.filter((one) => one.y === y && one.x > box.right))
          assert.ok((other.box?.left ?? 0) >= box.right - 4, 'columns paint beside each other');
      }
    }
    const [page] = await pagesOf(await draw(document, 'a4'));
    if (script === 'Latin') {
      const said = page?.text.normalize('NFD').replaceAll('\n', '') ?? '';
      assert.ok(said.includes(name.normalize('NFD')), 'all marks can be copied');
    }
  });
