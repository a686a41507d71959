import { GuildhallError, newIdempotencyKey } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { balanceQuery, cardsQuery, refreshBilling, type Scope } from '../../data/billing.ts';
import { configQuery } from '../../data/config.ts';
import { dollars } from '../../ui/amount.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { CardField } from './card-field.tsx';
import { TestConfirmation } from './test-confirmation.tsx';
import {
  beginTopUp,
  CHARGE_TIMEOUT_MS,
  cancelTopUp,
  confirmAtStripe,
  type TopUp,
} from './top-up.ts';

/**
 * What this form charges now: its key, and the top-up once there is one. Every POST is sent again with
 * its key for two minutes, and until something else is done (`data/unanswered.ts`). A charge keeps its
 * own for as long as the form is there, takes it to Stripe's page, and asks about the top-up then.
 */
interface Charge {
  what: string;
  key: string;
  id?: string;
}

/**
 * Charges a card. While the outcome of a charge is unknown, the same form sent again asks about that
 * charge: it never makes a second one. A bank that wants a confirmation gets it here.
 */
export function AddFunds({ org }: { org: Scope }): ReactNode {
  const config = useQuery(configQuery);
  const cards = useQuery(cardsQuery);
  const balance = useQuery(balanceQuery(org));
  const [outcome, setOutcome] = useState<TopUp>();
  const limits = config.data?.limits;
  const range =
    limits && `From ${dollars(limits.top_up_minimum)} to ${dollars(limits.top_up_maximum)}.`;
  const charge = useRef<Charge>(undefined);

  async function show(work: () => PromiseLike<TopUp>): Promise<void> {
    try {
      const topUp = await work();
      if (topUp.status === 'succeeded' || topUp.status === 'canceled') charge.current = undefined;
      else if (charge.current) charge.current.id = topUp.id;
      setOutcome(topUp);
    } catch (error) {
      // Without an answer, or with one of a server in trouble, the charge may have been made.
      const unknown = error instanceof GuildhallError && (error.status === 0 || error.status > 499);
      if (!unknown) charge.current = undefined;
      throw error;
    } finally {
      await refreshBilling(org);
    }
  }

  async function send(amount: string, payment_method_id: string): Promise<void> {
    setOutcome(undefined);
    const what = `${amount} ${payment_method_id}`;
    if (charge.current?.what !== what) charge.current = { key: newIdempotencyKey(), what };
    const { key, id } = charge.current;
    await show(async () => {
      const request = { org, key, body: { amount, payment_method_id } };
      const topUp = await (id === undefined ? beginTopUp(request) : complete(id));
      if (topUp.client_secret !== undefined) confirmAtStripe(request);
      return topUp;
    });
  }

  return (
    <Section title="Add funds">
      {outcome?.status === 'succeeded' && (
        <Notice onClose={() => setOutcome(undefined)}>
          <Money amount={outcome.amount} /> was charged.
          {outcome.new_balance !== undefined && (
            <>
              {' '}
              The balance is <Money amount={outcome.new_balance} />.
            </>
          )}
        </Notice>
      )}
      {outcome?.status === 'canceled' && (
        <Notice onClose={() => setOutcome(undefined)}>
          The charge was cancelled. Nothing was charged.
        </Notice>
      )}
      {outcome?.status === 'processing' && (
        <Notice onClose={() => setOutcome(undefined)}>
          The bank has not answered yet, so nothing counts as charged. The balance follows by itself
          when it does. To ask again, send the form as it is: it asks about this charge and never
          makes a second one.
        </Notice>
      )}
      {outcome?.status === 'requires_action' && outcome.client_secret === undefined && (
        <TestConfirmation
          onClose={() => setOutcome(undefined)}
          onCancel={() => show(() => cancelTopUp(outcome.id))}
          onAnswer={(test_authentication) =>
            show(() => complete(outcome.id, { test_authentication }))
          }
        />
      )}
      <Form
        submit="Add funds"
        // The balance stands above, and moves the button when it comes.
        disabled={!cards.data?.length || balance.isPending}
        onSubmit={({ amount = '', payment_method_id = '' }) =>
          send(amount.trim(), payment_method_id)
        }
      >
        <TextField
          name="amount"
          label="Amount in USD"
          inputMode="decimal"
          autoComplete="off"
          placeholder="25.00"
          hint={range}
          required
        />
        <CardField />
      </Form>
    </Section>
  );
}

const complete = (top_up_id: string, body: { test_authentication?: 'succeed' | 'fail' } = {}) =>
  guildhall.post(
    '/api/billing/top-ups/{top_up_id}/complete',
    { top_up_id, body },
    { timeout: CHARGE_TIMEOUT_MS },
  );
