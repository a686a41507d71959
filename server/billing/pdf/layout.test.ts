import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { getDocumentProxy } from 'unpdf';
import { pagesOf, printed } from '../../testing/fixtures/billing/pdf.ts';
import { draw } from './draw.ts';
import { LAYOUT } from './printer.ts';
import type { Printed } from './wording.ts';

const read = async (document: Printed) => {
  const [page] = await pagesOf(await draw(document, 'a4'));
  return page?.items.map(({ text }) => text) ?? [];
};

test('an invoice says who, what, when, how much and how it was paid', async () => {
  assert.deepEqual(await read(printed), [
    'Invoice',
    'INV-2026-000042',
    'Date of issue',
    '21 November 2026',
    'From',
    'To',
    'Guildhall Ltd',
    'Acme GmbH',
    '1 High Street',
    'Hauptstraße 1',
    'Dublin',
    '10115 Berlin',
    'Ireland',
    'Germany',
    'Description',
    'Amount',
    'Prepaid balance: funds added',
    '21.01 USD',
    'Net',
    '21.01 USD',
    'VAT 19% (Germany)',
    '3.99 USD',
    'Total',
    '25.00 USD',
    'Paid on 21 November 2026 with the Visa card ending in 4242.',
    'INV-2026-000042 · Guildhall Ltd',
    'Page 1 of 1',
  ]);
});

test('a credit note says which invoice it corrects, and a debit note that a refund failed', async () => {
  const note = { ...printed, invoice_number: 'INV-2026-000041', number: 'INV-2026-000042' };
  const credit = await read({
    ...note,
    kind: 'credit_note',
    charged_at: '2026-11-20T23:59:59.999Z',
    is_test: true,
    total: '1234567.89',
    net: '1234567.89',
    tax: '0.00',
    tax_rate: '0',
    tax_note: 'Reverse charge: the recipient is liable for the tax.',
    customer: { ...printed.customer, tax_id: 'DE123', email: 'books@acme.example' },
  });
  for (const said of [
    'Credit note',
    'Test document: no money was moved.',
    'Corrects invoice',
    'INV-2026-000041',
    'Date of refund',
    '20 November 2026',
    'Tax id: DE123',
    'books@acme.example',
    'Prepaid balance: funds of invoice INV-2026-000041 refunded',
    'VAT 0% (Germany)',
    'Total credited',
    '1,234,567.89 USD',
    'Refunded on 20 November 2026 to the Visa card',
    'Reverse charge: the recipient is liable for the tax.',
  ])
    assert.ok(
      credit.some((text) => text.startsWith(said)),
      said,
    );
  const debit = await read({ ...note, kind: 'debit_note', card_brand: 'amex' });
  assert.ok(debit.includes('Debit note') && debit.includes('INV-2026-000041'));
  assert.ok(
    debit.includes(
      'The refund to the American Express card ending in 4242 failed. Its funds were given back ' +
        'to the balance on 21 November 2026.',
    ) || debit.some((text) => text.startsWith('The refund to the American Express card')),
  );
});

test('both papers have their size, and the same document the same bytes', async () => {
  for (const [paper, size] of [
    ['a4', [595.28, 841.89]],
    ['letter', [612, 792]],
  ] as const) {
    const pdf = await draw(printed, paper);
    assert.deepEqual(
      (await pagesOf(pdf)).map(({ width, height }) => [width, height]),
      [size],
    );
    assert.deepEqual(await draw(printed, paper), pdf);
  }
});

test('it has a title, a language, and headings and a table for programs that read aloud', async () => {
  const document = await getDocumentProxy(new Uint8Array(await draw(printed, 'a4')));
  const { info } = (await document.getMetadata()) as unknown as { info: Record<string, string> };
  assert.deepEqual(
    [info.Title, info.Author, info.Language, info.CreationDate, info.Producer],
    ['Invoice INV-2026-000042', 'Guildhall Ltd', 'en', 'D:20261121081530Z', 'Guildhall'],
  );
  assert.deepEqual(await document.getMarkInfo(), {
    Marked: true,
    UserProperties: false,
    Suspects: false,
  });
  const tree = await (await document.getPage(1)).getStructTree();
  const roles = JSON.stringify(tree).match(/"role":"\w+"/g) ?? [];
  const count = (role: string) => roles.filter((one) => one === `"role":"${role}"`).length;
  assert.deepEqual(['H1', 'Table', 'TR', 'TH', 'TD'].map(count), [1, 1, 5, 5, 5]);
});

// Whoever has an older form would keep it, because its ETag would not change.
test('LAYOUT counts up when a document looks different', async () => {
  const samples = [
    printed,
    { ...printed, customer: { ...printed.customer, name: '株式会社 שלום' } },
  ];
  const bytes = await Promise.all(samples.map((sample) => draw(sample, 'a4', false)));
  const seen = `${LAYOUT} ${hash('sha256', Buffer.concat(bytes)).slice(0, 16)}`;
  assert.equal(seen, '3 ddc1c47bf51f9a03', 'count LAYOUT up, and write the new pair here');
});
