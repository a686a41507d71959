import type { Reader } from './readers.ts';
import { optional, setting } from './setting.ts';

/** Who issues invoices, and the taxes: the operator's settings. */
export interface Issuer {
  name: string;
  address: string[];
  country: string | null;
  taxId: string | null;
  /** What numbers begin with. Each prefix has numbers of its own. */
  prefix: string;
  taxName: string;
  /** In percent, as decimal text, by the country of the customer; `*` is every other one. */
  taxRates: Record<string, string>;
  reverseChargeNote: string;
}

const PERCENT = /^\d{1,2}(\.\d{1,3})?$/;

const shortText = (most: number): Reader<string> => ({
  parse: (value) => (value.length <= most && !/\p{Cc}/u.test(value) ? value : undefined),
  mustBe: `text of at most ${most} characters`,
});

const lines: Reader<string[]> = {
  parse: (value) => {
    const all = value.split(';').map((line) => line.trim());
    const valid = all.length <= 6 && all.every((line) => line !== '' && line.length <= 100);
    return valid ? all : undefined;
  },
  mustBe: 'one to six lines of at most 100 characters, separated by semicolons',
};

const country: Reader<string> = {
  parse: (value) => (/^[A-Z]{2}$/.test(value) ? value : undefined),
  mustBe: 'the two capital letters of a country, such as DE',
};

const prefix: Reader<string> = {
  parse: (value) => (/^[A-Z0-9/-]{0,19}[A-Z/-]$/.test(value) ? value : undefined),
  mustBe:
    'at most 20 capital letters, digits, hyphens and slashes, of which the last is not a digit',
};

const taxRates: Reader<Record<string, string>> = {
  parse: (value) => {
    const pairs = value.split(',').map((pair) => pair.trim().split('=') as [string, string]);
    const valid = pairs.every(
      ([where, rate = '', ...more]) =>
        (where === '*' || country.parse(where) !== undefined) &&
        PERCENT.test(rate) &&
        more.length === 0,
    );
    const once = new Set(pairs.map(([where]) => where)).size === pairs.length;
    return valid && once ? Object.fromEntries(pairs) : undefined;
  },
  mustBe: 'rates in percent by country, such as DE=19,FR=20 or *=20',
};

/** The settings of invoices, in the order of the table in docs/operations.md. */
export const INVOICE_SETTINGS = {
  INVOICE_ISSUER_NAME: setting(
    shortText(200),
    'Guildhall',
    'who issues invoices ([invoices](money.md#invoices-and-credit-notes))',
  ),
  INVOICE_ISSUER_ADDRESS: optional(lines, 'the lines below the name, separated by semicolons'),
  INVOICE_ISSUER_COUNTRY: optional(
    country,
    'the country of the issuer, such as `DE`; needed for reverse charge',
  ),
  INVOICE_ISSUER_TAX_ID: optional(shortText(50), 'the tax id of the issuer'),
  INVOICE_PREFIX: setting(
    prefix,
    'INV-',
    'what the numbers of invoices begin with; each prefix is numbered for itself',
  ),
  INVOICE_TAX_NAME: setting(shortText(50), 'VAT', 'what the tax is called'),
  INVOICE_TAX_RATES: optional(
    taxRates,
    'the tax in percent by the country of the customer, such as `DE=19,FR=20`; `*` is every ' +
      'other country',
    'no tax',
  ),
  INVOICE_REVERSE_CHARGE_NOTE: setting(
    shortText(300),
    'Reverse charge: the recipient is liable for the tax.',
    'what an invoice says instead of the tax, if the customer gives a tax id of another country',
  ),
};
