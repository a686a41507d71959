import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import type { ListParts } from '../../http/list.ts';
import { resource, usd } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const optional = (description?: string) =>
  Type.Optional(Type.String(description === undefined ? {} : { description }));

const party = () =>
  Type.Object({
    name: Type.String(),
    address: Type.Array(Type.String()),
    country: optional(),
    tax_id: optional(),
    email: optional(),
  });

/** An invoice, credit note or debit note, from a row `t` of `invoice`. All of it is a copy. */
export const invoice = resource('Invoice', {
  id: [uuid(), sql`t.id`, '019aa2c1-5d6e-7f8a-9b0c-1d2e3f4a5b6c'],
  kind: [oneOf(['invoice', 'credit_note', 'debit_note']), sql`t.kind`, 'invoice'],
  number: [Type.String(), sql`t.number`, 'INV-2026-000042'],
  issued_at: [timestamp(), sql`t.issued_at`, '2026-11-21T08:15:30.456Z'],
  charged_at: [
    timestamp({ description: 'When the balance was credited or debited.' }),
    sql`t.charged_at`,
    '2026-11-21T08:15:30.123Z',
  ],
  top_up_id: [uuid(), sql`t.top_up_id`, '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e'],
  invoice_number: [
    optional('Of a note: the number of its invoice.'),
    sql`case when t.kind <> 'invoice' then (
          select number from invoice i where i.top_up_id = t.top_up_id and i.kind = 'invoice') end`,
    undefined,
  ],
  total: [usd({ description: 'USD, with tax.' }), sql`t.total`, '25.00'],
  net: [usd({ description: 'USD, without tax.' }), sql`t.total - t.tax`, '21.01'],
  tax: [usd(), sql`t.tax`, '3.99'],
  tax_rate: [Type.String({ description: 'In percent.' }), sql`trim_scale(t.tax_rate)`, '19'],
  tax_name: [Type.String(), sql`t.tax_name`, 'VAT'],
  tax_note: [optional('Why there is no tax.'), sql`t.tax_note`, undefined],
  customer: [
    party(),
    sql`json_strip_nulls(json_build_object(
          'name', t.customer_name, 'address', t.customer_address,
          'country', t.customer_country, 'tax_id', t.customer_tax_id,
          'email', t.customer_email))`,
    { name: 'Acme GmbH', address: ['Hauptstraße 1', '10115 Berlin'], country: 'DE' },
  ],
  issuer: [
    party(),
    sql`json_strip_nulls(json_build_object(
          'name', t.issuer_name, 'address', t.issuer_address,
          'country', t.issuer_country, 'tax_id', t.issuer_tax_id))`,
    { name: 'Guildhall', address: ['1 High Street', 'London'], country: 'GB' },
  ],
  card_brand: [Type.String(), sql`t.card_brand`, 'visa'],
  card_last4: [Type.String(), sql`t.card_last4`, '4242'],
  is_test: [
    Type.Boolean({ description: 'Of the sandbox, which moves no money.' }),
    sql`t.processor = 'sandbox'`,
    false,
  ],
});

/** What the description of every list of invoices says. */
export const INVOICE_RULES =
  'one for each top-up that succeeded, a credit note for each refund, and a debit note for each ' +
  'refund that failed later; newest first. They never change. Always in pages: 50 entries, ' +
  'unless `limit` says otherwise.';

/** The invoices of the account `account` (a uuid), newest first. */
export const invoicesOf = (account: Sql): ListParts => ({
  json: invoice.json,
  rows: sql`from invoice t where t.account_id = ${account}`,
  order: [
    { by: sql`t.issued_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
});

/** One row with the invoice that access found. */
export const theInvoice = {
  select: sql`
    select ${invoice.json} as item
      from invoice t join authorized on t.id = authorized.invoice_id`,
};
