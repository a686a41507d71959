import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sharedCardsQuery } from '../../data/billing.ts';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { cardName, Expiry } from './card.tsx';

/** The cards that its owner and admins have shared with a workspace. Only their people charge them. */
export function SharedCards({ org }: { org: string }): ReactNode {
  const { data, error, refetch } = useQuery(sharedCardsQuery(org));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <Section title="Cards shared with this workspace">
      <Table
        label="Shared cards"
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          { heading: 'Card', cell: ({ brand, last4 }) => cardName(brand, last4) },
          {
            heading: 'Of',
            cell: ({ name, user_id }) => <span dir="auto">{name ?? user_id}</span>,
          },
          { heading: 'Expires', wide: true, cell: (card) => <Expiry card={card} /> },
          { heading: 'Shared', wide: true, cell: ({ shared_at }) => <Time at={shared_at} /> },
        ]}
      />
    </Section>
  );
}
