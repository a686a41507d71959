import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { invoicesQuery, type Scope } from '../../data/billing.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BillingDetails } from './billing-details.tsx';
import { cardName } from './card.tsx';

type Invoice = components['schemas']['Invoice'];

const KINDS: Record<Invoice['kind'], string> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  debit_note: 'Debit note',
};

/** Invoices and the notes to them, newest first, and what the next ones will say. */
export function Invoices({ org }: { org: Scope }): ReactNode {
  const pages = useInfiniteQuery(invoicesQuery(org));
  const [open, setOpen] = useState<Invoice>();
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <Section title="Invoices">
        {pages.error && !pages.isFetchNextPageError && (
          <Failure error={pages.error} retry={() => void pages.refetch()} />
        )}
        {pages.data !== undefined && rows.length === 0 && (
          <Empty>No invoices yet. Each charge gets one, and each refund a credit note.</Empty>
        )}
        {rows.length > 0 && (
          <Table
            label="Invoices"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                heading: 'Number',
                cell: (invoice) => (
                  <button
                    type="button"
                    onClick={() => setOpen(invoice)}
                    className="text-link underline"
                  >
                    {invoice.number}
                  </button>
                ),
              },
              { heading: 'What', wide: true, cell: ({ kind }) => KINDS[kind] },
              { heading: 'Issued', cell: ({ issued_at }) => <Time at={issued_at} /> },
              {
                heading: 'Tax',
                align: 'right',
                wide: true,
                cell: ({ tax }) => <Money amount={tax} />,
              },
              { heading: 'Total', align: 'right', cell: ({ total }) => <Money amount={total} /> },
              { heading: 'File', cell: (invoice) => <Pdf org={org} invoice={invoice} /> },
            ]}
          />
        )}
        <More list={pages} />
      </Section>
      <BillingDetails org={org} />
      {open && <Document org={org} invoice={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** All that an invoice or a note says. */
function Document({
  org,
  invoice,
  onClose,
}: {
  org: Scope;
  invoice: Invoice;
  onClose: () => void;
}): ReactNode {
  const { kind, number, issued_at, charged_at, invoice_number, is_test, tax_note } = invoice;
  return (
    <Dialog title={`${KINDS[kind]} ${number}`} onClose={onClose}>
      {is_test && <Status state="idle">Of the sandbox, which moves no money</Status>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Party title="From" party={invoice.issuer} />
        <Party title="To" party={invoice.customer} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Line name="Issued">{issued_at.slice(0, 10)}</Line>
        <Line name="Charged">
          {charged_at.slice(0, 10)}, {cardName(invoice.card_brand, invoice.card_last4)}
        </Line>
        {invoice_number && <Line name="To invoice">{invoice_number}</Line>}
        <Line name="Net">
          <Money amount={invoice.net} />
        </Line>
        <Line name={`${invoice.tax_name} ${invoice.tax_rate} %`}>
          <Money amount={invoice.tax} />
        </Line>
        <Line name="Total">
          <strong>
            <Money amount={invoice.total} />
          </strong>
        </Line>
      </dl>
      {tax_note && <p className="text-muted">{tax_note}</p>}
      <p>
        <Pdf org={org} invoice={invoice} />
      </p>
    </Dialog>
  );
}

/** The document as a file, on the paper of the country of the customer. */
function Pdf({ org, invoice: { id, number } }: { org: Scope; invoice: Invoice }): ReactNode {
  const path = org === undefined ? '/api' : `/api/organizations/${org}`;
  return (
    <a
      href={`${path}/billing/invoices/${id}/pdf`}
      download
      aria-label={`PDF of ${number}`}
      className="text-link underline"
    >
      PDF
    </a>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Party({ title, party }: { title: string; party: Invoice['customer'] }): ReactNode {
  const { name, address, country, tax_id, email } = party;
  const lines = [name, ...address, country, tax_id, email].filter((line) => line !== undefined);
  return (
    <div>
      <p className="text-xs text-muted">{title}</p>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a document never move.
        <p key={index} dir="auto" className="wrap-anywhere">
          {line}
        </p>
      ))}
    </div>
  );
}
