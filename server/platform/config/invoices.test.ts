import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

test('the issuer of invoices and the taxes are settings', () => {
  const { issuer } = readConfig({
    INVOICE_ISSUER_NAME: 'Acme Ltd',
    INVOICE_ISSUER_ADDRESS: '1 High Street; Dublin',
    INVOICE_ISSUER_COUNTRY: 'IE',
    INVOICE_ISSUER_TAX_ID: 'IE1234567T',
    INVOICE_PREFIX: '2ND/',
    INVOICE_TAX_RATES: 'DE=19, CH=8.1,*=0',
  });
  assert.deepEqual(issuer, {
    name: 'Acme Ltd',
    address: ['1 High Street', 'Dublin'],
    country: 'IE',
    taxId: 'IE1234567T',
    prefix: '2ND/',
    taxName: 'VAT',
    taxRates: { DE: '19', CH: '8.1', '*': '0' },
    reverseChargeNote: 'Reverse charge: the recipient is liable for the tax.',
  });
});

test('what no invoice could say is refused', () => {
  for (const [name, value] of [
    ['INVOICE_ISSUER_NAME', 'x'.repeat(201)],
    ['INVOICE_ISSUER_ADDRESS', 'a;;b'],
    ['INVOICE_ISSUER_ADDRESS', 'a;b;c;d;e;f;g'],
    ['INVOICE_ISSUER_COUNTRY', 'Ireland'],
    ['INVOICE_PREFIX', 'A1'],
    ['INVOICE_PREFIX', 'inv-'],
    ['INVOICE_TAX_RATES', 'DE'],
    ['INVOICE_TAX_RATES', 'DE=19,DE=20'],
    ['INVOICE_TAX_RATES', 'DE=-1'],
    ['INVOICE_TAX_RATES', 'DE=100'],
  ] as [string, string][])
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => error instanceof ConfigError && (error.faults[0] ?? '').startsWith(`${name} must`),
      value,
    );
});
