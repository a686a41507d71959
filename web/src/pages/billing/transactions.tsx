import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  type Scope,
  type TransactionFilter,
  type TransactionKind,
  transactionsQuery,
} from '../../data/billing.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { DayRange } from '../../ui/day-range.tsx';
import { ExportLinks } from '../../ui/export-links.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** What moved the balance, in words. */
const KINDS: Record<TransactionKind, string> = {
  top_up: 'Funds added',
  promotion: 'Credit',
  grant: 'Credit that was granted',
  balance_transfer: 'Transfer of a balance',
  refund: 'Refund to the card',
  refund_reversal: 'Refund that failed',
  dispute: 'Dispute',
  dispute_reversal: 'Dispute won',
  usage: 'Usage',
  write_off: 'Write-off',
  void: 'Test money that became void',
};

const isKind = (text: string | undefined): text is TransactionKind =>
  text !== undefined && text in KINDS;

/** Every movement of a balance, newest first. The filters stand in the address. */
export function Transactions({ org }: { org: Scope }): ReactNode {
  const { type, from, to } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const filter: TransactionFilter = { type: isKind(type) ? type : undefined, from, to };
  const pages = useInfiniteQuery(transactionsQuery(org, filter));
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const navigate = useNavigate();
  const set = (change: TransactionFilter) =>
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, ...change }),
      replace: true,
    });
  return (
    <Section
      title="Transactions"
      actions={<ExportLinks org={org} list="billing/transactions" filter={filter} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="Only this kind"
          value={filter.type}
          none="Every kind"
          options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          onChange={(value) => set({ type: value as TransactionKind | undefined })}
        />
        <DayRange from={from} to={to} onChange={set} />
      </div>
      {pages.error && !pages.isFetchNextPageError && (
        <Failure error={pages.error} retry={() => void pages.refetch()} />
      )}
      {pages.data !== undefined && rows.length === 0 && (
        <Empty>
          {(filter.type ?? from ?? to)
            ? 'Nothing fits. Leave out the kind or the days.'
            : 'Nothing has moved yet. Funds that are added and usage stand here.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Transactions"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { heading: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
            { heading: 'What', cell: ({ kind }) => (isKind(kind) ? KINDS[kind] : kind) },
            {
              heading: 'Refers to',
              wide: true,
              cell: ({ reference_id }) => (
                <CopyText text={reference_id} short={8} label="Copy the id" />
              ),
            },
            { heading: 'Amount', align: 'right', cell: ({ amount }) => <Money amount={amount} /> },
            {
              heading: 'Balance',
              align: 'right',
              cell: ({ balance }) => <Money amount={balance} />,
            },
          ]}
        />
      )}
      <More list={pages} />
    </Section>
  );
}
