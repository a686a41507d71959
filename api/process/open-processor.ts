import { customerStore } from '../billing/cards/customers.ts';
import { noProcessor } from '../billing/cards/no-processor.ts';
import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { requireMode } from '../billing/mode/enter-mode.ts';
import { type Config, ConfigError, requireBilling } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/**
 * The card processor of the configuration: Stripe when there is a key, the sandbox, or none where no
 * cards are taken. Throws a ConfigError where Stripe has already charged cards: there the sandbox
 * would credit money that no one pays, and without a key no one would learn what becomes of charges
 * that are open. So it does where the database goes by another mode.
 */
export async function openProcessor(
  db: Database,
  config: Pick<Config, 'billing' | 'stripe'>,
): Promise<Processor> {
  const { stripe } = config;
  const billing = requireBilling(config);
  await requireMode(db, billing);
  if (stripe === undefined) {
    const { charged, open } = await db.one<{ charged: boolean; open: boolean }>(sql`
      select exists (select from top_up where processor = 'stripe') as charged,
             exists (select from top_up
                      where processor = 'stripe' and status in ('created', 'processing'))
             or exists (select from refund r join top_up t on t.id = r.top_up_id
                         where t.processor = 'stripe' and r.status = 'created') as open`);
    const isSandbox = billing.mode === 'sandbox';
    if (isSandbox ? charged : open) throw new ConfigError([isSandbox ? STRIPE_IS_MISSING : OPEN]);
    return isSandbox ? sandbox(db) : noProcessor;
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
const OPEN =
  'STRIPE_SECRET_KEY must be set until the outcome of every charge and refund by Stripe is known: ' +
  'some are open. With it, `guildhall reconcile --once` asks for them';
