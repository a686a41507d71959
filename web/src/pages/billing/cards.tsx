import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { type Card, cardsQuery, refreshBilling, type Scope } from '../../data/billing.ts';
import { configQuery } from '../../data/config.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Blockers, blockersOf } from '../workspace/blockers.tsx';
import { cardName, Expiry } from './card.tsx';
import { SharedCards } from './shared-cards.tsx';
import { TestCard } from './test-card.tsx';

/** The person's own cards; on the page of a workspace also those that were shared with it. */
export function Cards({ org }: { org: Scope }): ReactNode {
  const cards = useQuery(cardsQuery);
  const config = useQuery(configQuery);
  const [failure, setFailure] = useState<unknown>();
  const [testing, setTesting] = useState(false);
  const taken = config.data?.features.cards;
  const sandbox = taken === 'sandbox';
  const blockers = blockersOf(failure);

  async function act(work: () => PromiseLike<unknown>): Promise<void> {
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(error);
    }
    await Promise.all([refreshBilling(undefined), org && refreshBilling(org)]);
  }

  // Cards of before can only be removed.
  if (taken === 'none' && (cards.data ?? []).length === 0) return null;
  return (
    <>
      <Section
        title={org === undefined ? 'Cards' : 'Your cards'}
        actions={
          taken === 'none' ? undefined : sandbox ? (
            <Button icon="plus" onClick={() => setTesting(true)}>
              Save a test card
            </Button>
          ) : (
            // Loaded anew: the content policy of that page alone allows Stripe.
            <a href="/account/stripe" className="text-link underline">
              Save a card
            </a>
          )
        }
      >
        {cards.error && <Failure error={cards.error} retry={() => void cards.refetch()} />}
        {cards.data?.length === 0 && (
          <Empty>
            {sandbox
              ? 'No cards yet. This server moves no money: it takes Stripe’s published test cards.'
              : 'No cards yet. Stripe keeps the number of a card; this server never sees it.'}
          </Empty>
        )}
        {cards.data !== undefined && cards.data.length > 0 && (
          <Table
            label="Your cards"
            rows={cards.data}
            keyOf={({ id }) => id}
            columns={[
              {
                heading: 'Card',
                cell: (card) => (
                  <span className="flex flex-wrap items-center gap-2">
                    {cardName(card.brand, card.last4)}
                    {card.is_default && <Status state="done">Default</Status>}
                  </span>
                ),
              },
              { heading: 'Expires', cell: (card) => <Expiry card={card} /> },
              {
                heading: '',
                align: 'right',
                cell: (card) => (
                  <ActsMenu
                    label={`Acts on ${cardName(card.brand, card.last4)}`}
                    acts={[
                      ...(taken === 'none'
                        ? []
                        : [
                            {
                              label: 'Make it the default',
                              disabled: card.is_default,
                              onSelect: () => void act(() => makeDefault(card)),
                            },
                            ...(org === undefined ? [] : [sharing(org, card, act)]),
                          ]),
                      {
                        label: 'Remove',
                        danger: true,
                        onSelect: () => void act(() => remove(card)),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
        {failure !== undefined && <Failure error={failure} />}
        <Blockers blockers={blockers} />
      </Section>
      {org !== undefined && <SharedCards org={org} />}
      {testing && <TestCard onClose={() => setTesting(false)} />}
    </>
  );
}

const makeDefault = ({ id }: Card) =>
  guildhall.put('/api/billing/payment-methods/{payment_method_id}/default', {
    payment_method_id: id,
  });

const remove = ({ id }: Card) =>
  guildhall.delete('/api/billing/payment-methods/{payment_method_id}', { payment_method_id: id });

/** The owner and admins of the workspace may see the card, or may no longer. */
function sharing(
  org_id: string,
  { id, shared_with }: Card,
  act: (work: () => PromiseLike<unknown>) => Promise<void>,
) {
  const path = '/api/organizations/{org_id}/billing/payment-methods/{payment_method_id}' as const;
  const card = { org_id, payment_method_id: id };
  return shared_with.includes(org_id)
    ? {
        label: 'Stop sharing it here',
        onSelect: () => void act(() => guildhall.delete(path, card)),
      }
    : { label: 'Share it here', onSelect: () => void act(() => guildhall.put(path, card)) };
}
