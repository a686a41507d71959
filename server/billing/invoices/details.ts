import Type, { type Static } from 'typebox';
import { sql } from '../../db/sql.ts';
import type { StatementParts } from '../../http/authorize.ts';
import { changedAt, lockedRow, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, email, list } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource } from '../../http/resource.ts';
import type { Answer } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { COUNTRIES } from './countries.ts';

/** What invoices say of a customer, from a row `t` of `billing_details`. */
const billingDetails = resource('BillingDetails', {
  mail_receipts: [
    boolean({ description: 'Whether each invoice and credit note is sent by mail.' }),
    sql`t.mail_receipts`,
    true,
    'writable',
  ],
  name: [name({ maxLength: 200 }), sql`t.name`, 'Acme GmbH', 'clearable'],
  address: [
    list(name({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 6,
      description: 'The lines below the name, without the country.',
    }),
    sql`array_to_json(t.address)`,
    ['Hauptstraße 1', '10115 Berlin'],
    'clearable',
  ],
  country: [
    Type.String({
      minLength: 2,
      maxLength: 2,
      pattern: '^[A-Z]{2}$',
      description: 'ISO 3166-1 alpha-2.',
    }),
    sql`t.country`,
    'DE',
    'clearable',
  ],
  tax_id: [
    name({ maxLength: 50, description: 'For example a VAT number.' }),
    sql`t.tax_id`,
    'DE123456789',
    'clearable',
  ],
  email: [
    email({ description: 'Where receipts go; without it, to the person who pays.' }),
    sql`t.email`,
    'billing@acme.example',
    'clearable',
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

const billingDetailsChanged = apiError(
  412,
  'billing_details_changed',
  'The billing details have changed since you read them: read them again, then update them',
);

// Not an enumeration, because an error would list all of it.
const countryUnknown = fieldError(
  'country_unknown',
  ['body', 'country'],
  'Input should be the two capital letters of a country (ISO 3166-1 alpha-2)',
);

/** One row, `Shown`, of the request's account. */
export const detailsOfAccount = {
  select: sql`
    select ${billingDetails.columns}
      from billing_details t join authorized on t.id = authorized.account_id`,
};

/** What both operations that read them answer. */
export const detailsAnswer = { 200: billingDetails.shown('The current billing details.') };

/** What both update operations take and answer. */
export const detailsContract = {
  body: billingDetails.changes,
  sample: () => ({ body: { name: 'Acme GmbH', country: 'DE', address: ['Hauptstraße 1'] } }),
  responses: detailsAnswer,
  headers: { 'If-Match': 'The ETag of the billing details that you have read.' },
  errors: [billingDetailsChanged, countryUnknown],
};

/** The description of both update operations. */
export const DETAILS_RULES =
  'Invoices that exist do not change. A field that is omitted keeps its value, `null` removes ' +
  'it, and `{}` changes nothing. Send the `ETag` of the billing details that you have read as ' +
  '`If-Match` to avoid overwriting a later change.';

/** Changes the billing details of the request's account, in one statement. */
export const updateDetails = ({
  body,
  headers,
  requestId,
  statement,
}: {
  body: Static<typeof billingDetails.changes>;
  headers: Record<string, string | undefined>;
  requestId: string;
  statement<Row>(parts: StatementParts, answer: (row: Row) => Answer): Promise<Answer>;
}): Promise<Answer> => {
  if (typeof body.country === 'string' && !COUNTRIES.includes(body.country))
    throw countryUnknown(body.country);
  return statement<Shown & { expected: boolean }>(
    {
      with: sql`
        ${lockedRow(sql`billing_details`, sql`account_id`, headers['if-match'])},
        wanted as (select ${withChanges(sql`row`, body)} as row from current where expected),
        changed as (
          update billing_details t
             set name = (wanted.row).name,
                 address = (wanted.row).address,
                 country = (wanted.row).country,
                 tax_id = (wanted.row).tax_id,
                 email = (wanted.row).email,
                 mail_receipts = (wanted.row).mail_receipts,
                 updated_at = ${changedAt(sql`(current.row).updated_at`)}
            from wanted, current
           where t.id = (wanted.row).id and wanted.row is distinct from current.row
          returning t as row),
        audited as (${auditRow({
          action: 'billing_details.update',
          requestId,
          target: sql`(changed.row).id`,
          organization: sql`authorized.organization_id`,
          before: billingDetails.snapshot(sql`current.row`),
          after: billingDetails.snapshot(sql`changed.row`),
          from: sql`changed cross join current cross join authorized`,
        })})`,
      select: sql`
        select current.expected, ${billingDetails.columns}
          from current
          left join changed on true,
               lateral (select (coalesce(changed.row, current.row)).*) t`,
    },
    ({ expected, ...row }) => {
      if (!expected) throw billingDetailsChanged();
      return shownAs(200, row);
    },
  );
};
