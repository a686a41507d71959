import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import pg from 'pg';
import { customerStore } from '../billing/cards/customers.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { stripeProcessor } from '../billing/cards/stripe.ts';
import { fetchBalance } from '../billing/report/fetch-balance.ts';
import { type Month, monthOf } from '../billing/report/month.ts';
import { reportOf } from '../billing/report/report.ts';
import { summaryOf } from '../billing/report/summary.ts';
import { synchronize } from '../billing/top-ups/movements.ts';
import { advanceRefund, startRefund } from '../billing/top-ups/refund.ts';
import { topUps } from '../billing/top-ups/top-ups.ts';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { cloneDatabase } from './database.ts';
import { startFakeStripe } from './fakes/fake-stripe/server.ts';
import { fixturesOn, type User } from './fixtures.ts';

/** This month by the clock of this process, and the one before. */
export const [THIS_MONTH, LAST_MONTH] = [0, 1].map((back) => {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
  return monthOf(first.toISOString().slice(0, 7)) as Month;
}) as [Month, Month];

/** A database of one's own and a processor, for tests about all the money of a month. */
export async function startMonths(kind: 'stripe' | 'sandbox' = 'stripe') {
  const fake = await startFakeStripe();
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url, poolSize: 4 });
  after(async () => {
    await db.close();
    await fake.close();
    await clone.drop();
  });
  const access = { secretKey: fake.secretKey, apiBase: fake.url, timeoutMs: 1_000 };
  const processor =
    kind === 'sandbox' ? sandbox(db) : stripeProcessor({ ...access, customers: customerStore(db) });
  const fixtures = fixturesOn(db);
  const path = topUps(db, processor);

  const accountOf = async ({ id }: Pick<User, 'id'>) =>
    (await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${id}`)).id;

  /** A top-up of so many USD; `charged` or as a crash before the charge leaves it. */
  async function topUp(
    usd: number,
    { charged = true, person }: { charged?: boolean; person?: User } = {},
  ) {
    const user = person ?? (await fixtures.user());
    const accountId = await accountOf(user);
    const paymentMethodId = await fixtures.card(user);
    const { topUp: begun } = await db.transaction((tx) =>
      path.start(tx, {
        accountId,
        userId: user.id,
        keyId: null,
        requestId: 'test',
        paymentMethodId,
        amount: BigInt(usd * 1_000_000),
        clientKey: randomUUID(),
      }),
    );
    if (charged) await path.advance(begun.id);
    const { processor_id } = await db.one<{ processor_id: string }>(sql`
      update top_up set created_at = least(created_at, ${new Date(fake.state.now())})
       where id = ${begun.id} returning processor_id`);
    return { id: begun.id, user, intent: processor_id };
  }

  async function refund(topUpId: string, usd: number): Promise<void> {
    const amount = BigInt(usd * 1_000_000);
    const { id } = await startRefund(db, processor, topUpId, amount, async () => {});
    await advanceRefund(db, processor, id);
  }

  /** Changes rows that only the owner of the tables can change, without their triggers. */
  async function forge(text: string): Promise<void> {
    const owner = new pg.Client({ connectionString: clone.url });
    await owner.connect();
    await owner.query(`set session_replication_role = replica; ${text}`);
    await owner.end();
  }

  /** `onItsWay`: as of `reportOf`; by default nothing is, because tests do one thing at a time. */
  async function report(month: Month, { fetch = true, onItsWay = 0 } = {}) {
    if (fetch) await fetchBalance(db, processor);
    return summaryOf(await reportOf(db, month, onItsWay));
  }

  return {
    accountOf,
    db,
    fake,
    fixtures,
    processor,
    path,
    url: clone.url,
    topUp,
    refund,
    forge,
    report,
    /** Applies what the processor says of a top-up now. */
    follow: (topUpId: string) => synchronize(db, processor, topUpId),
    /** What the processor does next happens at this time. */
    turn: (at: Date | undefined) => {
      fake.state.now = at === undefined ? Date.now : () => at.getTime();
    },
    balance: (user: User) => fixtures.balance({ userId: user.id }),
  };
}
