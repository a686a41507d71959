import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesOf, printed, saidBy } from '../../testing/fixtures/billing/pdf.ts';
import { draw } from './draw.ts';
import { MARGIN } from './sheet.ts';
import type { Printed } from './wording.ts';

const to = (name: string, address: string[] = [], country = 'DE'): Printed => ({
  ...printed,
  customer: { name, address, country },
});

/** Without what a reader of PDF adds between pieces of one line. */
const joined = (text: string) => text.replaceAll(/\s/g, '');

for (const [script, name, country] of [
  ['Latin with diacritics', 'Łódź Škoda Ñandú Đặng Văn Ơn', 'PL'],
  ['Greek', 'Ελληνική Εταιρεία', 'GR'],
  ['Cyrillic', 'Товариство «Приклад» Їжак', 'UA'],
  ['Japanese', '株式会社サンプル商事', 'JP'],
  ['Chinese', '示例科技（北京）有限公司', 'CN'],
  ['Korean', '주식회사 예시', 'KR'],
] as const)
  test(`${script} is written in characters that can be copied`, async () => {
    const [page] = await pagesOf(await draw(to(name, [], country), 'a4'));
    assert.ok(joined(page?.text ?? '').includes(joined(name)));
  });

test('characters are copied as they were written, whatever was drawn before', async () => {
  const name = 'Văn Ơn';
  await draw(to('Ơ\u0323'), 'a4');
  await draw(to('a\u0323\u0306'), 'a4');
  const [page] = await pagesOf(await draw(to(name), 'a4'));
  assert.ok(joined(page?.text ?? '').includes(joined(name)));
});

for (const [script, words] of [
  ['Arabic', ['شركة المثال', 'المحدودة', 'پچژگ']],
  ['Hebrew', ['חברת הדוגמה', 'תל אביב']],
] as const)
  test(`${script} is drawn from right to left, and each word can be copied in its order`, async () => {
    const [first, second] = words;
    const [page] = await pagesOf(await draw(to(`${first} (12) ${second}`, [...words]), 'a4'));
    for (const word of words) assert.ok(page?.text.includes(word), word);
    const at = (text: string) => page?.items.find((item) => item.text.includes(text));
    const [left, number, right] = [at(second), at('12'), at(first)];
    assert.ok((left?.left ?? 999) < (number?.left ?? 0), 'what comes last is on the left');
    assert.ok((number?.left ?? 999) < (right?.left ?? 0));
  });

for (const [script, name] of [
  ['Devanagari', 'उदाहरण प्राइवेट लिमिटेड'],
  ['Thai', 'บริษัท ตัวอย่าง จำกัด'],
] as const)
  test(`${script}, whose glyphs have another order, says what it is`, async () => {
    const pdf = await draw(to(name), 'a4', false);
    assert.ok(saidBy(pdf).includes(name));
    const spans = Buffer.from(pdf).toString('latin1').split('/Span <<').slice(1);
    for (const span of spans)
      assert.doesNotMatch(span.split('EMC')[0] ?? '', / cm\n/, 'Poppler would lose its text');
  });

test('Japanese, Chinese and Korean draw a shared character in their own way', async () => {
  const of = (country: string) => draw(to('直骨', [], country), 'a4', false);
  const fonts = (pdf: Uint8Array) =>
    Buffer.from(pdf)
      .toString('latin1')
      .match(/noto-sans-(jp|sc|kr)/)?.[1];
  assert.deepEqual([await of('JP'), await of('CN'), await of('KR'), await of('DE')].map(fonts), [
    'jp',
    'sc',
    'kr',
    'sc',
  ]);
});

test('what no font has is drawn as a replacement, and copied as what it is', async () => {
  const pdf = await draw(to('Ada 😀 Բ'), 'a4', false);
  const [page] = await pagesOf(pdf);
  assert.ok(page?.text.includes('Ada � �'));
  assert.deepEqual(saidBy(pdf), ['Ada 😀 Բ']);
});

const HOSTILE: [string, string[]][] = [
  [
    'control characters and directions',
    ['a\u0000\u0007\u202eevil\u202c\u2066b\u2069\u200f', '\ud800'],
  ],
  ['marks', [`e${'\u0301'.repeat(90)}`, '\u0301', '\u200d\u200d', '\ufe0f', '\u034f']],
  ['what no font has', ['👩‍👩‍👧‍👦'.repeat(20), '\u{10ffff}', '\ue000', '🏳️‍🌈', '\u{1f1e9}']],
  ['wide characters', ['﷽'.repeat(100), '𒐫'.repeat(100), '字'.repeat(100), '—'.repeat(100)]],
  ['words without an end', ['W'.repeat(100), 'ش'.repeat(100), 'क्ष'.repeat(33), 'ก'.repeat(100)]],
  ['both directions', ['אב(1[ج{a}2]ד)3'.repeat(7), '<<<שלום>>>', '١٢٣/abc/٤٥٦']],
  ['nothing to see', [' ', '\u3164', '\u00ad\u00ad', '']],
  ['PDF syntax', ['(((\\\\', ')Tj ET', '<</A 1>>', 'endstream endobj %%EOF']],
];
for (const [what, lines] of HOSTILE)
  test(`hostile: ${what} in names and addresses stay in their column`, async () => {
    for (const paper of ['a4', 'letter'] as const) {
      const document = to(lines.join(' ').slice(0, 200), lines);
      const pages = await pagesOf(await draw(document, paper));
      assert.match(
        pages.at(-1)?.text ?? '',
        new RegExp(`Page ${pages.length} of ${pages.length}$`),
      );
      for (const { width, height, items } of pages)
        for (const { text, left, right, bottom } of items) {
          assert.ok(
            left >= MARGIN - 1 && right <= width - MARGIN + 1,
            `${left} to ${right}: ${text}`,
          );
          assert.ok(bottom > 20 && bottom < height - MARGIN, text);
        }
    }
  });

test('a text that fills a page goes on with the next one', async () => {
  const address = Array.from({ length: 90 }, (_, i) => `Line ${i + 1}`);
  const document = { ...to('Acme', address), issuer: { ...printed.issuer, address } };
  const pages = await pagesOf(await draw(document, 'letter'));
  assert.equal(pages.length, 3);
  pages.forEach(({ text }, i) => {
    assert.match(text, new RegExp(`Page ${i + 1} of 3$`));
  });
  const all = pages.flatMap(({ items }) => items.map(({ text }) => text));
  for (const line of address) assert.equal(all.filter((text) => text === line).length, 2, line);
});
