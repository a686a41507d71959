import { GuildhallError, newIdempotencyKey } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { cardsQuery, refreshBilling, type Scope } from '../../data/billing.ts';
import { configQuery } from '../../data/config.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { CardField } from './card-field.tsx';

/** A charge takes as long as the bank does. */
const CHARGE_TIMEOUT_MS = 60_000;

const send = (org_id: Scope, body: { amount: string; payment_method_id: string }, key: string) => {
  const options = { idempotencyKey: key, timeout: CHARGE_TIMEOUT_MS };
  return org_id === undefined
    ? guildhall.post('/api/billing/add-funds', { body }, options)
    : guildhall.post('/api/organizations/{org_id}/billing/add-funds', { org_id, body }, options);
};

type Outcome = Awaited<ReturnType<typeof send>>;

/**
 * Charges a card. While the outcome of a charge is unknown, the same form sent again continues that
 * charge: it never makes a second one.
 */
export function AddFunds({ org }: { org: Scope }): ReactNode {
  const config = useQuery(configQuery);
  const cards = useQuery(cardsQuery);
  const [outcome, setOutcome] = useState<Outcome>();
  const limits = config.data?.limits;
  const range = limits && `From $${limits.top_up_minimum} to $${limits.top_up_maximum}.`;
  const open = useRef<{ key: string; what: string }>(undefined);

  async function charge(amount: string, payment_method_id: string): Promise<void> {
    setOutcome(undefined);
    const what = `${amount} ${payment_method_id}`;
    if (open.current?.what !== what) open.current = { key: newIdempotencyKey(), what };
    try {
      const result = await send(org, { amount, payment_method_id }, open.current.key);
      setOutcome(result);
      if (result.status === 'succeeded') open.current = undefined;
    } catch (error) {
      // Without an answer, or with one of a server in trouble, the charge may have been made.
      const unknown = error instanceof GuildhallError && (error.status === 0 || error.status > 499);
      if (!unknown) open.current = undefined;
      throw error;
    } finally {
      await refreshBilling(org);
    }
  }

  return (
    <Section title="Add funds">
      {outcome?.status === 'succeeded' && (
        <Notice onClose={() => setOutcome(undefined)}>
          <Money amount={outcome.amount_charged} /> was charged. The balance is{' '}
          <Money amount={outcome.new_balance} />.
        </Notice>
      )}
      {outcome?.status === 'processing' && (
        <Notice onClose={() => setOutcome(undefined)}>
          The bank has not answered yet, so nothing counts as charged. The balance follows by itself
          when it does. To ask again, send the form as it is: it continues this charge and never
          makes a second one.
        </Notice>
      )}
      <Form
        submit="Add funds"
        disabled={!cards.data?.length}
        onSubmit={({ amount = '', payment_method_id = '' }) =>
          charge(amount.trim(), payment_method_id)
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
