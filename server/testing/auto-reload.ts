import { chargeIfDue } from '../billing/auto-reload/charge-if-due.ts';
import { autoReloads, isDue, isRunning } from '../billing/auto-reload/eligibility.ts';
import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { topUps } from '../billing/top-ups/top-ups.ts';
import { sql } from '../db/sql.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

export const LIMITS = { minimum: 1, maximum: 500 };

/** For tests of auto-reload: people whose balance is recharged, and what was charged. */
export function autoReloadFixtures({ db, fixtures }: Harness) {
  let fault: Partial<Processor> = {};
  const path = topUps(
    db,
    new Proxy(sandbox(db), {
      get: (target, name) => (fault as never)[name] ?? (target as never)[name],
    }),
  );

  const accountOf = async (user: User) =>
    (await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`))
      .id;

  /** A person with 9.99: below 10.00 their card is charged 25.00, up to 100.00 a month. */
  async function recharged(
    options: { balance?: string; amount?: number; cap?: number; threshold?: number } = {},
  ) {
    const user = await fixtures.user();
    const card = await fixtures.card(user);
    await fixtures.fund({ userId: user.id }, options.balance ?? '9.99');
    const account = await accountOf(user);
    const usd = (value: number) => value * 1_000_000;
    await db.many(sql`
      insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap,
        payment_method_id)
      values
        (${account}, true, ${usd(options.threshold ?? 10)}, ${usd(options.amount ?? 25)},
         ${usd(options.cap ?? 100)}, ${card})`);
    return { user, card, account, balance: () => fixtures.balance({ userId: user.id }) };
  }

  return {
    path,
    accountOf,
    recharged,
    /** Replaces calls of the card processor; without an argument it works again. */
    breakProcessor: (calls: Partial<Processor> = {}) => {
      fault = calls;
    },
    check: (account: string, limits = LIMITS) => chargeIfDue(db, path, limits, account),
    /** Whether a run would check the account now. */
    due: async (account: string, limits = LIMITS) =>
      (await db.maybeOne(sql`
        select from ${autoReloads}
         where ${isRunning} and ${isDue(limits)} and r.account_id = ${account}`)) !== undefined,
    /** USD of every automatic charge. */
    charges: async (account: string) =>
      (
        await db.many<{ amount: bigint }>(sql`
          select amount from top_up where account_id = ${account} and automatic
            order by created_at`)
      ).map(({ amount }) => Number(amount) / 1e6),
    spend: (user: User, usd: string) => fixtures.fund({ userId: user.id }, `-${usd}`),
    /** Makes the account's top-ups older. */
    age: (account: string, interval: string) =>
      db.many(sql`
        update top_up set created_at = created_at - ${interval}::interval
         where account_id = ${account}`),
  };
}
