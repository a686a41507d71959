import type Stripe from 'stripe';
import { MICRO_PER_CENT } from '../ledger/money.ts';
import type { BalanceEntry } from './processor.ts';

const PAGE = 100;

/** Throws StripeError. Both times are in whole seconds. */
export async function* balanceBetween(
  stripe: Stripe,
  from: Date,
  to: Date | undefined,
): AsyncIterable<BalanceEntry[]> {
  const created = { gte: secondsOf(from), ...(to && { lt: secondsOf(to) }) };
  let after: string | undefined;
  for (;;) {
    const { data, has_more } = await stripe.balanceTransactions.list({
      created,
      limit: PAGE,
      expand: ['data.source'],
      ...(after !== undefined && { starting_after: after }),
    });
    if (data.length > 0) yield data.map(entryOf);
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return;
  }
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

// Stripe recommends these over the types for accounting.
const CATEGORIES: Record<string, BalanceEntry['category']> = {
  charge: 'charge',
  refund: 'refund',
  refund_failure: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute',
  fee: 'fee',
  network_cost: 'fee',
  tax: 'fee',
};

function entryOf(entry: Stripe.BalanceTransaction): BalanceEntry {
  const { source } = entry;
  // Refunds and disputes name their intent as charges do; only a charge has the metadata of one.
  const about = (typeof source === 'object' ? source : null) as {
    id?: string;
    object?: string;
    payment_intent?: string | { id: string } | null;
    metadata?: Record<string, string> | null;
  } | null;
  const intent = about?.payment_intent;
  return {
    id: entry.id,
    category: CATEGORIES[entry.reporting_category] ?? 'other',
    type: entry.type,
    amount: BigInt(entry.amount) * MICRO_PER_CENT,
    fee: BigInt(entry.fee) * MICRO_PER_CENT,
    currency: entry.currency,
    sourceId: typeof source === 'string' ? source : about?.id,
    intentId: typeof intent === 'string' ? intent : intent?.id,
    topUpId: about?.object === 'charge' ? about.metadata?.top_up_id : undefined,
    createdAt: new Date(entry.created * 1000),
  };
}
