import { dayOf } from '../../http/day-of.ts';
import { fontsFor } from './fonts.ts';
import { drawable } from './lines.ts';
import { type Cell, type Paper, Sheet } from './sheet.ts';
import {
  amountOf,
  itemOf,
  linesBelow,
  MOVED,
  type Party,
  type Printed,
  paymentOf,
  TITLES,
  TOTALS,
  taxLabel,
} from './wording.ts';

const GREY = '#5c6470';
const RULE = '#d5d9df';
const TEST = '#a33a00';
const TEXT = { size: 10, weight: 400 as const };
const SMALL = { size: 8.5, weight: 400 as const, color: GREY };
const BOLD = { size: 10, weight: 700 as const };
const GAP = 24;

/** A document as PDF. The same document on the same paper has the same bytes. */
export async function draw(printed: Printed, paper: Paper, compress = true): Promise<Uint8Array> {
  const { kind, number, issuer, customer, is_test, tax_note } = printed;
  const title = `${TITLES[kind]} ${number}`;
  const fonts = await fontsFor(allText(printed), customer.country);
  const date = new Date(printed.issued_at);
  const sheet = new Sheet(paper, fonts, { title, author: drawable(issuer.name), date }, compress);
  sheet.paragraph({ text: TITLES[kind], size: 24, weight: 700 }, 'H1');
  sheet.paragraph({ ...TEXT, text: number, size: 12, color: GREY });
  if (is_test) sheet.paragraph({ ...BOLD, text: SANDBOX, color: TEST });
  sheet.space(14);
  facts(sheet, factsOf(printed));
  sheet.space(16);
  parties(sheet, [
    ['From', issuer],
    ['To', customer],
  ]);
  sheet.space(GAP);
  items(sheet, printed);
  sheet.space(18);
  if (tax_note !== undefined) sheet.paragraph({ ...TEXT, text: tax_note });
  sheet.paragraph({ ...TEXT, text: paymentOf(printed) });
  return sheet.end({ ...SMALL, text: `${number}  ·  ${issuer.name}` }, pageOf);
}

const SANDBOX = 'Test document: no money was moved.';
const pageOf = (page: number, of: number) => `Page ${page} of ${of}`;

const factsOf = ({ issued_at, charged_at, invoice_number, kind }: Printed) => {
  const [issued, charged] = [dayOf(new Date(issued_at)), dayOf(new Date(charged_at))];
  return [
    ['Date of issue', issued],
    ...(issued === charged ? [] : [[MOVED[kind], charged]]),
    ...(invoice_number === undefined ? [] : [['Corrects invoice', invoice_number]]),
  ] as [string, string][];
};

function facts(sheet: Sheet, all: readonly [string, string][]): void {
  const label = { x: sheet.left, width: 100, tag: 'P' as const };
  const value = { x: sheet.left + 108, width: sheet.width - 108, tag: 'P' as const };
  for (const [name, text] of all)
    sheet.row([
      { ...TEXT, color: GREY, text: name, ...label },
      { ...TEXT, text, ...value },
    ]);
}

function parties(sheet: Sheet, all: readonly [string, Party][]): void {
  const width = (sheet.width - GAP) / 2;
  sheet.beside(
    all.map(([label, party], i) => {
      const column = { x: sheet.left + i * (width + GAP), width, tag: 'P' as const };
      return [
        { ...SMALL, ...column, text: label },
        { ...BOLD, ...column, text: party.name },
        ...linesBelow(party).map((text) => ({ ...TEXT, ...column, text })),
      ];
    }),
  );
}

function items(sheet: Sheet, printed: Printed): void {
  const amount = 110;
  const [first, second] = [sheet.width - amount - 12, sheet.left + sheet.width - amount];
  const half = sheet.left + (sheet.width + GAP) / 2;
  const left = (tag: Cell['tag'], x = sheet.left) => ({ tag, x, width: first - (x - sheet.left) });
  const right = (tag: Cell['tag']) => ({ tag, x: second, width: amount, align: 'right' as const });
  sheet.room(150);
  sheet.table((row) => {
    row([
      { ...SMALL, text: 'Description', ...left('TH') },
      { ...SMALL, text: 'Amount', ...right('TH') },
    ]);
    line(sheet);
    row([
      { ...TEXT, text: itemOf(printed), ...left('TD') },
      { ...TEXT, text: amountOf(printed.net), ...right('TD') },
    ]);
    line(sheet);
    row([
      { ...TEXT, text: 'Net', ...left('TH', half) },
      { ...TEXT, text: amountOf(printed.net), ...right('TD') },
    ]);
    row([
      { ...TEXT, text: taxLabel(printed), ...left('TH', half) },
      { ...TEXT, text: amountOf(printed.tax), ...right('TD') },
    ]);
    line(sheet, half);
    row([
      { ...BOLD, size: 12, text: TOTALS[printed.kind], ...left('TH', half) },
      { ...BOLD, size: 12, text: amountOf(printed.total), ...right('TD') },
    ]);
  });
}

function line(sheet: Sheet, x = sheet.left): void {
  sheet.space(4);
  sheet.rule(RULE, x);
  sheet.space(5);
}

/** Everything that is drawn, for the choice of fonts. */
const allText = (printed: Printed): string[] => {
  const { issuer, customer, number, tax_note = '' } = printed;
  return [
    ...[issuer, customer].flatMap((party) => [party.name, ...linesBelow(party)]),
    number,
    tax_note,
    itemOf(printed),
    paymentOf(printed),
    taxLabel(printed),
    printable,
  ].map(drawable);
};

/** Our own words and amounts. */
const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i), 183);
