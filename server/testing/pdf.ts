import { getDocumentProxy } from 'unpdf';
import type { Printed } from '../billing/pdf/wording.ts';

/** An invoice as the API shows it, to be printed. */
export const printed: Printed = {
  kind: 'invoice',
  number: 'INV-2026-000042',
  issued_at: '2026-11-21T08:15:30.456Z',
  charged_at: '2026-11-21T08:15:30.123Z',
  total: '25.00',
  net: '21.01',
  tax: '3.99',
  tax_rate: '19',
  tax_name: 'VAT',
  customer: { name: 'Acme GmbH', address: ['Hauptstraße 1', '10115 Berlin'], country: 'DE' },
  issuer: { name: 'Guildhall Ltd', address: ['1 High Street', 'Dublin'], country: 'IE' },
  card_brand: 'visa',
  card_last4: '4242',
  is_test: false,
};

/** A piece of text on a page, in points from its left and lower edge. */
interface Item {
  text: string;
  left: number;
  right: number;
  bottom: number;
}

export interface Page {
  width: number;
  height: number;
  items: Item[];
  /** Everything that is written on it. */
  text: string;
}

/** The pages of a PDF, as pdf.js reads them: characters from the fonts' own tables. */
export async function pagesOf(pdf: Uint8Array): Promise<Page[]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const pages: Page[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const [, , width = 0, height = 0] = page.view;
    const { items } = await page.getTextContent();
    const found = items.flatMap((item) => {
      if (!('str' in item) || item.str.trim() === '') return [];
      const [, , , , left, bottom] = item.transform as number[];
      return [{ text: item.str, left, right: (left ?? 0) + item.width, bottom } as Item];
    });
    const text = found.map((item) => item.text).join('\n');
    pages.push({ width, height, items: found, text });
  }
  return pages;
}

/** What a PDF that is not compressed says beside its glyphs (ActualText), in order. */
export const saidBy = (pdf: Uint8Array): string[] =>
  [
    ...Buffer.from(pdf)
      .toString('latin1')
      .matchAll(/\/ActualText \(((?:\\.|[^\\)])*)\)/gs),
  ].map(([, written = '']) => {
    const bytes = written.replaceAll(/\\(.)/gs, (_, one) => ESCAPED[one] ?? one);
    if (!bytes.startsWith('\xfe\xff')) return bytes;
    return Buffer.from(bytes.slice(2), 'latin1').swap16().toString('utf16le');
  });

const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
