import { customerStore } from '../billing/cards/customers.ts';
import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/**
 * The card processor of the configuration: Stripe when there is a key, otherwise the sandbox.
 * Throws a ConfigError where Stripe has already charged cards: there the sandbox would credit money
 * that no one pays.
 */
export async function openProcessor(db: Database, { stripe }: Config): Promise<Processor> {
  if (stripe === undefined) {
    const { charged } = await db.one<{ charged: boolean }>(sql`
      select exists (select from top_up where processor = 'stripe') as charged`);
    if (charged) throw new ConfigError([STRIPE_IS_MISSING]);
    return sandbox(db);
  }
  // Loaded only when it is used: the SDK takes 38 MB.
  const { stripeProcessor } = await import('../billing/cards/stripe.ts');
  const { secretKey, timeoutMs, apiBase } = stripe;
  const base = apiBase === undefined ? {} : { apiBase };
  return stripeProcessor({ secretKey, timeoutMs, ...base, customers: customerStore(db) });
}

const STRIPE_IS_MISSING =
  'STRIPE_SECRET_KEY must be set, as it is where the server runs: ' +
  'this database has top-ups by Stripe, which the sandbox must not handle';
