import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Scope, transactionsQuery } from '../../data/billing.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** What moved the balance, in words; a kind that is not here shows its name. */
const KINDS: Record<string, string> = {
  top_up: 'Funds added',
  promotion: 'Credit',
  balance_transfer: 'Transfer of a balance',
  refund: 'Refund to the card',
  refund_reversal: 'Refund that failed',
  dispute: 'Dispute',
  dispute_reversal: 'Dispute won',
  usage: 'Usage',
  write_off: 'Write-off',
};

/** Every movement of a balance, newest first. */
export function Transactions({ org }: { org: Scope }): ReactNode {
  const pages = useInfiniteQuery(transactionsQuery(org));
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="Transactions">
      {pages.error && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.data !== undefined && rows.length === 0 && (
        <Empty>Nothing has moved yet. Funds that are added and usage stand here.</Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Transactions"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { heading: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
            { heading: 'What', cell: ({ kind }) => KINDS[kind] ?? kind },
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
      {pages.hasNextPage && (
        <div>
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}
