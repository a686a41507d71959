import { matching, parts, type Reader } from './readers.ts';

export const addressLines: Reader<string[]> = {
  parse: (value) => {
    const all = value.split(';').map((line) => line.trim());
    const valid = all.length <= 6 && all.every((line) => line !== '' && line.length <= 100);
    return valid ? all : undefined;
  },
  mustBe: 'one to six lines of at most 100 characters, separated by semicolons',
};

export const country = matching('^[A-Z]{2}$', 'the two capital letters of a country, such as DE');

export const invoicePrefix = matching(
  '^[A-Z0-9/-]{0,19}[A-Z/-]$',
  'at most 20 capital letters, digits, hyphens and slashes, of which the last is not a digit',
);

export const taxRates: Reader<Record<string, string>> = {
  parse: (value) => {
    const pairs = parts(value);
    const valid = pairs.every((pair) => /^([A-Z]{2}|\*)=\d{1,2}(\.\d{1,3})?$/.test(pair));
    const rates = Object.fromEntries(pairs.map((pair) => pair.split('=')));
    return valid && Object.keys(rates).length === pairs.length ? rates : undefined;
  },
  mustBe: 'rates in percent by country, such as DE=19,FR=20 or *=20',
};
