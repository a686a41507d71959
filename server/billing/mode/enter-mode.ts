import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Billing, ConfigError } from '../../platform/config/config.ts';
import { endTaskHolds } from '../ledger/end-holds.ts';
import { voidTestMoney } from './void-test-money.ts';

/** The mode that all processes of this database go by. */
interface StoredMode {
  mode: Billing['mode'];
  testMoney: boolean;
  /** Whether test money has ended, and some of it may not be voided yet. */
  voiding: boolean;
}

/** The mode of the database; undefined before the first start of a server. */
export const storedMode = (db: Pick<Tx, 'maybeOne'>): Promise<StoredMode | undefined> =>
  db.maybeOne<StoredMode>(sql`
    select mode, test_money as "testMoney", not test_money and voided_at is null as voiding
      from billing_mode`);

/**
 * Makes the mode of this process that of the database, before it answers or works. The first one
 * that does not take test money ends it for good: from its commit on no test money is credited or
 * held, and it is voided before this returns, by this process or, if it is killed, by the next one.
 * Returns whether test money was voided now. Throws a ConfigError where it would be taken again.
 */
export async function enterMode(db: Database, billing: Billing): Promise<boolean> {
  const { voiding } = await db.transaction((tx) => enter(tx, billing));
  if (voiding) await voidTestMoney(db);
  return voiding;
}

/** What an operator is told who has ended test money. */
export const TEST_MONEY_VOIDED =
  'Test money has ended: what test cards had paid was taken out of all balances, and test cards were ' +
  'removed. BILLING=sandbox is refused from now on.';

/**
 * Refuses a command whose settings are not those of the servers: it must not change how work is
 * paid for.
 */
export async function requireMode(db: Database, { mode, testMoney }: Billing): Promise<void> {
  const stored = await storedMode(db);
  if (stored === undefined || (stored.mode === mode && stored.testMoney === testMoney)) return;
  throw new ConfigError([
    `BILLING must be ${stored.mode}, as it is where the server runs` +
      `${stored.mode === 'stripe' ? ', with the same STRIPE_SECRET_KEY' : ''}: it is ${mode} here`,
  ]);
}

async function enter(tx: Tx, to: Billing): Promise<StoredMode> {
  const first = await begin(tx, to);
  await tx.many(sql`select from billing_mode for update`);
  const from = (await storedMode(tx)) as StoredMode;
  if (to.testMoney && !from.testMoney) throw new ConfigError([sandboxHasEnded(from, to)]);
  const ends = from.testMoney && !to.testMoney;
  if (from.mode === to.mode && !ends) {
    if (first !== undefined) await record(tx, undefined, to, first.void_id);
    return from;
  }
  const id = await record(tx, first === undefined ? from : undefined, to);
  await tx.many(sql`
    update billing_mode
       set mode = ${to.mode}, test_money = ${to.testMoney}, changed_at = clock_timestamp(),
           real_since = case when ${ends}::boolean then clock_timestamp() else real_since end,
           void_id = case when ${ends}::boolean then ${id}::uuid else void_id end`);
  // They were made without a balance that covers them.
  if (from.mode === 'off')
    await endTaskHolds(tx, sql`select id from billing_account where held > 0`);
  return { ...to, voiding: ends || from.voiding };
}

/**
 * Inserts the row of a database that has none; undefined where there is one. What an older version has
 * stored was paid by test cards until Stripe charged the first one, and it does not tell whether
 * Stripe did so in its test mode: that must not make real balances void.
 */
async function begin(tx: Tx, to: Billing): Promise<{ void_id: string | null } | undefined> {
  if ((await storedMode(tx)) !== undefined) return undefined;
  const { charged, used } = await tx.one<{ charged: boolean; used: boolean }>(sql`
    select exists (select from top_up where processor = 'stripe') as charged,
           exists (select from ledger_transfer) or exists (select from usage_event)
             or exists (select from top_up) as used`);
  if (charged && to.testMoney)
    throw new ConfigError([to.mode === 'sandbox' ? STRIPE_IS_MISSING : CHARGED_BEFORE]);
  const isTest = to.testMoney || (used && !charged);
  return tx.maybeOne(sql`
    insert into billing_mode (mode, test_money, real_since, void_id, voided_at)
    values (${isTest && !to.testMoney ? 'sandbox' : to.mode}, ${isTest},
            case when not ${isTest}::boolean then '-infinity'::timestamptz end,
            case when ${charged}::boolean then uuid_v7() end,
            case when not ${used}::boolean and not ${isTest}::boolean then clock_timestamp() end)
    on conflict do nothing
    returning void_id`);
}

async function record(
  tx: Tx,
  from: StoredMode | undefined,
  to: Billing,
  as: string | null = null,
): Promise<string> {
  const shown = ({ mode, testMoney }: Billing) => ({ mode, test_money: testMoney });
  const { id } = await tx.one<{ id: string }>(sql`
    insert into audit_event (id, action, outcome, target_id, before, after, request_id)
    values (coalesce(${as}::uuid, uuid_v7()), 'billing.change', 'done', 'billing', ${from ? shown(from) : null}, ${shown(to)}, 'start')
    returning id`);
  return id;
}

const sandboxHasEnded = (from: StoredMode, { mode }: Billing): string =>
  (mode === 'sandbox'
    ? `BILLING must be stripe, credits or off: this database has been run with ${from.mode}`
    : `STRIPE_SECRET_KEY must not be of Stripe's test mode: this database has been run with ${from.mode}`) +
  ', so its balances are real, and test cards must not add to them. To try test cards, use another ' +
  'DATA_DIR or DATABASE_URL';

export const STRIPE_IS_MISSING =
  'STRIPE_SECRET_KEY must be set, as it is where the server runs: ' +
  'this database has top-ups by Stripe, which the sandbox must not handle';
const CHARGED_BEFORE =
  "STRIPE_SECRET_KEY must not be of Stripe's test mode: this database has top-ups by Stripe of an " +
  'older version, which may be real. To try the test mode, use another DATA_DIR or DATABASE_URL';
