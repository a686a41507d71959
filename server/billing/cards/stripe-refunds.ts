import type Stripe from 'stripe';
import type { RefundOutcome } from './processor.ts';
import { call } from './stripe-client.ts';
import { isRejected, reasonOf } from './stripe-outcomes.ts';

const WHY: Record<string, string> = {
  charge_already_refunded: 'everything of this charge was refunded before',
  charge_disputed: 'the cardholder disputes this charge',
  amount_too_large: 'it is more than what is left of this charge',
};

/**
 * Refunds `cents` of an intent, once per `refundId` of ours. Stripe forgets an idempotency key
 * after a day, but never a refund. So each refund carries our id, and one that already exists under
 * it is used instead of sending again.
 */
export async function refundOnce(
  stripe: Stripe,
  intentId: string,
  cents: number,
  refundId: string,
): Promise<RefundOutcome> {
  const before = await find(stripe, intentId, refundId);
  if (before !== undefined) return before;
  const made = await call(() =>
    stripe.refunds.create(
      { payment_intent: intentId, amount: cents, metadata: { refund_id: refundId } },
      { idempotencyKey: `refund:${refundId}` },
    ),
  );
  if (made.ok) return outcomeOf(made.value);
  if (!isRejected(made.error) || made.error.statusCode !== 400)
    return { kind: 'unknown', reason: reasonOf(made.error) };
  // Perhaps because another process has just sent the same refund, in which case it was not
  // refused.
  const { code } = made.error;
  const reason = WHY[code ?? ''] ?? (code ?? 'no reason was given').replaceAll('_', ' ');
  return (await find(stripe, intentId, refundId)) ?? { kind: 'refused', reason };
}

/** The outcome of our refund; undefined if there certainly is none yet. */
async function find(
  stripe: Stripe,
  intentId: string,
  refundId: string,
): Promise<RefundOutcome | undefined> {
  const listed = await call(async () => {
    for await (const refund of stripe.refunds.list({ payment_intent: intentId, limit: 100 }))
      if (refund.metadata?.refund_id === refundId) return outcomeOf(refund);
    return undefined;
  });
  return listed.ok ? listed.value : { kind: 'unknown', reason: reasonOf(listed.error) };
}

/** Whether Stripe counts it as refunded, which it also does while the bank has not answered. */
export const counts = ({ status }: Stripe.Refund): boolean =>
  status !== 'failed' && status !== 'canceled';

function outcomeOf(refund: Stripe.Refund): RefundOutcome {
  if (counts(refund)) return { kind: 'refunded' };
  const { status, failure_reason } = refund;
  return {
    kind: 'refused',
    reason: (failure_reason ?? `the refund is ${status}`).replaceAll('_', ' '),
  };
}
