import { dayOf } from '../../http/day-of.ts';

/** An invoice, credit note or debit note as the API shows it. */
export interface Printed {
  kind: 'invoice' | 'credit_note' | 'debit_note';
  number: string;
  issued_at: string;
  charged_at: string;
  invoice_number?: string;
  total: string;
  net: string;
  tax: string;
  tax_rate: string;
  tax_name: string;
  tax_note?: string;
  customer: Party;
  issuer: Party;
  card_brand: string;
  card_last4: string;
  is_test: boolean;
}

export interface Party {
  name: string;
  address: string[];
  country?: string;
  tax_id?: string;
  email?: string;
}

export const TITLES = { invoice: 'Invoice', credit_note: 'Credit note', debit_note: 'Debit note' };
/** What the day is called on which the money moved. */
export const MOVED = {
  invoice: 'Date of payment',
  credit_note: 'Date of refund',
  debit_note: 'Date of return',
};

export const TOTALS = { invoice: 'Total', credit_note: 'Total credited', debit_note: 'Total' };

/** What the one line of a document is for. */
export function itemOf({ kind, invoice_number }: Printed): string {
  switch (kind) {
    case 'invoice':
      return 'Prepaid balance: funds added';
    case 'credit_note':
      return `Prepaid balance: funds of invoice ${invoice_number} refunded`;
    case 'debit_note':
      return `Prepaid balance: a refund of invoice ${invoice_number} that failed`;
  }
}

/** How it was paid, or given back. */
export function paymentOf({ kind, charged_at, card_brand, card_last4 }: Printed): string {
  const card = `the ${brandOf(card_brand)} card ending in ${card_last4}`;
  const on = `on ${dayOf(new Date(charged_at))}`;
  switch (kind) {
    case 'invoice':
      return `Paid ${on} with ${card}.`;
    case 'credit_note':
      return `Refunded ${on} to ${card}.`;
    case 'debit_note':
      return `The refund to ${card} failed. Its funds were given back to the balance ${on}.`;
  }
}

/** For example `VAT 19% (Germany)`. */
export const taxLabel = ({ tax_name, tax_rate, customer: { country } }: Printed): string =>
  `${tax_name} ${tax_rate}%${country === undefined ? '' : ` (${countryName(country)})`}`;

/** The lines below the name of a party. */
export const linesBelow = ({ address, country, tax_id, email }: Party): string[] => [
  ...address,
  ...(country === undefined ? [] : [countryName(country)]),
  ...(tax_id === undefined ? [] : [`Tax id: ${tax_id}`]),
  ...(email === undefined ? [] : [email]),
];

/** An amount with a comma for each thousand, and its currency. */
export const amountOf = (usd: string): string => `${usd.replaceAll(/\B(?=(\d{3})+\.)/g, ',')} USD`;

const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const countryName = (code: string): string => NAMES.of(code) ?? code;

const BRANDS: Record<string, string> = { amex: 'American Express', jcb: 'JCB' };
const brandOf = (brand: string): string =>
  BRANDS[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1).replaceAll('_', ' ');
