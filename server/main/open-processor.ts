import { customerStore } from '../billing/cards/customers.ts';
import { noProcessor } from '../billing/cards/no-processor.ts';
import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { STRIPE_IS_MISSING } from '../billing/mode/enter-mode.ts';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { type Config, ConfigError, requireBilling } from '../platform/config/config.ts';

/**
 * The card processor of the configuration: Stripe when there is a key, the sandbox, or none where no
 * cards are taken. Throws a ConfigError as `checkProcessor` does.
 */
export async function openProcessor(
  db: Database,
  config: Pick<Config, 'billing' | 'stripe'>,
): Promise<Processor> {
  await checkProcessor(db, config);
  const { stripe } = config;
  if (stripe === undefined)
    return requireBilling(config).mode === 'sandbox' ? sandbox(db) : noProcessor;
  // Loaded only when it is used: the SDK takes 38 MB.
  const { stripeProcessor } = await import('../billing/cards/stripe.ts');
  const { secretKey, timeoutMs, apiBase } = stripe;
  const base = apiBase === undefined ? {} : { apiBase };
  return stripeProcessor({ secretKey, timeoutMs, ...base, customers: customerStore(db) });
}

/**
 * Throws a ConfigError without a key where Stripe has already charged cards: there the sandbox would
 * credit money that no one pays; and where no cards are taken, no one would learn what becomes of
 * charges that are open.
 */
async function checkProcessor(
  db: Database,
  config: Pick<Config, 'billing' | 'stripe'>,
): Promise<void> {
  const isSandbox = requireBilling(config).mode === 'sandbox';
  if (config.stripe !== undefined) return;
  const { charged, open } = await db.one<{ charged: boolean; open: boolean }>(sql`
    select exists (select from top_up where processor = 'stripe') as charged,
           exists (select from top_up
                    where processor = 'stripe' and status in ('created', 'processing'))
           or exists (select from refund r join top_up t on t.id = r.top_up_id
                       where t.processor = 'stripe' and r.status = 'created') as open`);
  if (isSandbox ? charged : open) throw new ConfigError([isSandbox ? STRIPE_IS_MISSING : OPEN]);
}

const OPEN =
  'STRIPE_SECRET_KEY must be set until the outcome of every charge and refund by Stripe is known: ' +
  'some are open. With it, `guildhall reconcile --once` asks for them';
