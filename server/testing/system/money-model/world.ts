import { after } from 'node:test';
import { pino } from 'pino';
import { backgroundWork } from '../../../billing/background.ts';
import { customerStore } from '../../../billing/cards/customers.ts';
import type { Processor } from '../../../billing/cards/processor.ts';
import { stripeProcessor } from '../../../billing/cards/stripe.ts';
import { sql } from '../../../db/sql.ts';
import { startFakeStripe } from '../../fakes/fake-stripe/server.ts';
import type { User } from '../../fixtures/tenants.ts';
import { startHarness } from '../../harness/harness.ts';

const WEBHOOK = 'whsec_fake';

/** A server, the fake Stripe it charges, and the background work that ends what stayed open. */
export type World = Awaited<ReturnType<typeof startWorld>>;

/** A person with a workspace, a good card and a declined one. */
export interface Tenant {
  user: User;
  workspace: string;
  good: string;
  bad: string;
  account: string;
  /** Top-ups that were answered 402. */
  declined: string[];
}

export async function startWorld() {
  const fake = await startFakeStripe();
  after(() => fake.close());
  let dieBefore: keyof Processor | undefined;
  const open = (database: Parameters<typeof customerStore>[0], timeoutMs: number) =>
    stripeProcessor({
      secretKey: fake.secretKey,
      apiBase: fake.url,
      timeoutMs,
      customers: customerStore(database),
    });
  const harness = await startHarness({
    webhookSecret: WEBHOOK,
    waitAtMost: 100,
    processor: (database) =>
      new Proxy(open(database, 150), {
        get: (target, name: keyof Processor) => {
          if (name !== dieBefore) return target[name];
          dieBefore = undefined;
          return async () => {
            throw new Error('as if the process had died here');
          };
        },
      }),
  });
  const { db, fixtures } = harness;
  fake.webhook(`${harness.url}/webhooks/stripe`, WEBHOOK);
  const processor = open(db, 2000);
  const background = backgroundWork(db, processor, {
    checks: [1000, 2000],
    limits: { minimum: 1, maximum: 10_000 },
    log: pino({ level: 'silent' }),
  });
  return {
    ...harness,
    fake,
    processor,
    background,
    /** The next call of this kind fails as if the process had died before it. */
    dieBefore: (call: keyof Processor | undefined) => {
      dieBefore = call;
    },
    tenant: async (): Promise<Tenant> => {
      const user = await fixtures.user();
      const { id } = await db.one<{ id: string }>(
        sql`select id from billing_account where user_id = ${user.id}`,
      );
      return {
        user,
        workspace: await fixtures.workspace(user),
        good: await fixtures.card(user),
        bad: await fixtures.card(user, 'pm_card_chargeDeclined'),
        account: id,
        declined: [],
      };
    },
  };
}
