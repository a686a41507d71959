import { after } from 'node:test';
import { cardSetups } from '../billing/cards/card-setups.ts';
import { customerStore } from '../billing/cards/customers.ts';
import { stripeProcessor } from '../billing/cards/stripe.ts';
import { stripeClient } from '../billing/cards/stripe-client.ts';
import { eventsSince } from '../billing/cards/stripe-events.ts';
import { processEvents, storeEvent } from '../billing/top-ups/events.ts';
import { sql } from '../db/sql.ts';
import { startFakeStripe } from './fakes/fake-stripe/server.ts';
import type { User } from './fixtures.ts';
import { startHarness } from './harness.ts';

/** For tests of saved cards: a server that uses a fake Stripe, and people who save cards. */
export async function startStripeCards(
  env: Record<string, string> = {},
  { dashboard }: { dashboard?: string } = {},
) {
  const fake = await startFakeStripe();
  after(() => fake.close());
  const access = { secretKey: fake.secretKey, apiBase: fake.url, timeoutMs: 1000 };
  const harness = await startHarness({
    env: {
      STRIPE_SECRET_KEY: fake.secretKey,
      STRIPE_API_BASE: fake.url,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
      ...env,
    },
    ...(dashboard !== undefined && { dashboard }),
    processor: (db) => stripeProcessor({ ...access, customers: customerStore(db) }),
  });
  const { db, fixtures, request } = harness;
  const stripe = stripeProcessor({ ...access, customers: customerStore(db) });

  /** A person, and the answers to their requests to save a card. */
  async function saver(given?: User) {
    const user = given ?? (await fixtures.user());
    const begin = (body: object = {}) =>
      request('POST', '/api/billing/payment-methods/setup', { key: user.key, body });
    const complete = (id: string) =>
      request('POST', `/api/billing/payment-methods/setup/${id}/complete`, { key: user.key });
    /** Saves a card as a page does. */
    const save = async (details: Parameters<typeof fake.completeSetup>[1] = {}) => {
      const { body } = await begin();
      const token = fake.completeSetup(body.client_secret, details);
      const { payment_method_id: id } = (await complete(body.id)).body;
      return { id: id as string, token, setup: body.id as string };
    };
    return { user, begin, complete, save, list: () => cardsOf(user) };
  }

  const cardsOf = (user: User) =>
    db.many<Record<string, unknown> & { id: string }>(sql`
      select id, token, brand, last4, exp_month, exp_year, detached_at is not null as removed
        from payment_method where user_id = ${user.id} order by created_at`);

  /** Delivers every event that the fake has, as the hourly look for missed ones does. */
  async function deliver(type?: string): Promise<void> {
    for await (const event of eventsSince(stripeClient(access), new Date(0)))
      if (type === undefined || event.type === type) await storeEvent(db, event);
    await db.many(sql`update processor_event set next_attempt_at = now()`);
    await processEvents(db, stripe);
  }

  const actions = async (target: string) =>
    (
      await db.many<{ action: string }>(sql`
        select action from audit_event where target_id = ${target} order by occurred_at`)
    ).map(({ action }) => action);

  const setups = cardSetups(db, stripe);
  return { ...harness, fake, stripe, setups, saver, deliver, actions };
}
