import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { dayOf } from '../../http/day-of.ts';
import { usdText } from '../ledger/money.ts';
import { openPrinter, type Printer } from '../pdf/printer.ts';
import { invoice } from './invoice.ts';
import { paperOf, pdfName } from './pdf-answer.ts';
import { addressed } from './receipts.ts';

/** Our own words, and names that people chose. */
type Sentence = (string | { name: string })[];

/** The row of the outbox that a mail is made for; its subject is the invoice or note. */
interface Queued {
  subjectId: string;
}

interface Document {
  kind: 'invoice' | 'credit_note' | 'debit_note';
  number: string;
  invoice_number: string | null;
  issued_at: Date;
  charged_at: Date;
  total: bigint;
  tax: bigint;
  tax_rate: string;
  tax_name: string;
  tax_note: string | null;
  issuer: string;
  customer: string;
  customer_tax_id: string | null;
  card_brand: string;
  card_last4: string;
  is_test: boolean;
  workspace_id: string | null;
  /** To whom it goes now, who may be another one than when it was queued. */
  recipient: string;
  /** The name of the workspace or person whose balance it is now. */
  holder: string | null;
  /** The document as the API shows it, as JSON. */
  item: string;
}

/**
 * Makes the mail about an invoice or note, which never changes, with it as PDF. It goes to whom it would
 * be queued for now. `obsolete` if there is no one, or if its account does not want receipts any more.
 */
export const receiptMail =
  (db: Pick<Database, 'read'>, publicUrl: string, printer: Printer = openPrinter()) =>
  async ({ subjectId }: Queued) => {
    const [document] = await db.read<Document>(wantedDocument(subjectId));
    if (document === undefined) return 'obsolete';
    const { kind, number, invoice_number, issuer, workspace_id, item } = document;
    const page = workspace_id === null ? 'account' : `workspaces/${workspace_id}`;
    const of = invoice_number === null ? '' : ` for invoice ${invoice_number}`;
    return {
      to: document.recipient,
      subject: [`${TITLES[kind]} ${number} from `, { name: issuer }],
      before: [
        [
          `${TITLES[kind]} ${number}${of}, issued by “`,
          { name: issuer },
          `” on ${dayOf(document.issued_at)} to “`,
          { name: document.customer },
          '”',
          ...taxIdOf(document),
          '.',
        ],
        whatFor(document),
        amounts(document),
        ...(document.tax_note === null ? [] : [[document.tax_note]]),
        ...(document.is_test ? [['This is a test: no money was moved.']] : []),
      ],
      link: { label: 'See the invoices', url: `${publicUrl}/${page}/billing?view=invoices` },
      after: [
        [
          'You get this because receipts are turned on in the billing details of this balance. ' +
            'They can be turned off there.',
        ],
      ],
      attachment: {
        name: pdfName(item),
        mediaType: 'application/pdf',
        bytes: await printer.print({ item, paper: paperOf(item) }),
      },
    };
  };

const TITLES = { invoice: 'Invoice', credit_note: 'Credit note', debit_note: 'Debit note' };

function whatFor({ kind, workspace_id, holder, charged_at, ...card }: Document): Sentence {
  const on = `on ${dayOf(charged_at)}`;
  const name = { name: holder ?? card.customer };
  const whose = [`the balance of ${workspace_id === null ? '' : 'the workspace '}“`, name, '”'];
  const which = `${card.card_brand} card ending in ${card.card_last4}`;
  switch (kind) {
    case 'invoice':
      return ['Funds were added to ', ...whose, ` ${on}, paid with the ${which}.`];
    case 'credit_note':
      return ['Funds were taken from ', ...whose, ` ${on} and refunded to the ${which}.`];
    case 'debit_note':
      return [
        `A refund to the ${which} failed. Its funds were given back to `,
        ...whose,
        ` ${on}.`,
      ];
  }
}

const amounts = ({ total, tax, tax_name, tax_rate }: Document): Sentence => [
  tax_rate === '0'
    ? `Total: ${usdText(total)} USD. No ${tax_name} is included.`
    : `Total: ${usdText(total)} USD. Net: ${usdText(total - tax)} USD. ` +
      `${tax_name} (${tax_rate}%): ${usdText(tax)} USD.`,
];

const taxIdOf = ({ customer_tax_id }: Document): Sentence =>
  customer_tax_id === null ? [] : [', tax id “', { name: customer_tax_id }, '”'];

const wantedDocument = (id: string) => sql`
  select t.kind, t.number, t.issued_at, t.charged_at, t.total, t.tax,
         trim_scale(t.tax_rate)::text as tax_rate, t.tax_name, t.tax_note,
         t.issuer_name as issuer, t.customer_name as customer, t.customer_tax_id,
         t.card_brand, t.card_last4, t.processor = 'sandbox' as is_test,
         case when t.kind <> 'invoice' then (
           select number from invoice of
            where of.top_up_id = t.top_up_id and of.kind = 'invoice') end as invoice_number,
         o.id as workspace_id, coalesce(o.name, u.name, u.email) as holder,
         addressed.recipient, ${invoice.json} as item
    from invoice t
    join billing_account a on a.id = t.account_id
    join billing_details d on d.id = a.id and d.mail_receipts
    join top_up paid on paid.id = t.top_up_id
    ${addressed(sql`paid.user_id`)}
    left join organization o on o.id = a.organization_id
    left join app_user u on u.id = a.user_id
   where t.id = ${id} and addressed.recipient is not null`;
