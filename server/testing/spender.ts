import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { capture, type Hold, hold, release } from '../billing/ledger/holds.ts';
import { microUsd } from '../billing/ledger/money.ts';
import { sql } from '../db/sql.ts';
import { ApiError } from '../http/errors.ts';
import type { Harness } from './harness.ts';

export const usd = (text: string) => microUsd(text) as bigint;

/** What became of a call: `done`, or the code of its refusal. */
export const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

/** How often each value occurs. */
export const count = (all: string[]) =>
  Object.fromEntries(
    [...new Set(all)].sort().map((one) => [one, all.filter((each) => each === one).length]),
  );

/** For tests of holds: users with a balance, each of whose actions is a transaction. */
export function spenders({ db, fixtures, unchanged }: Harness) {
  async function spender(balance: string) {
    const user = await fixtures.user();
    if (balance !== '0.00') await fixtures.fund({ userId: user.id }, balance);
    const { id } = await db.one<{ id: string }>(
      sql`select id from billing_account where user_id = ${user.id}`,
    );
    const reference = { type: 'task', id: randomUUID() };
    return {
      user,
      id,
      reference,
      fund: (amount: string) => fixtures.fund({ userId: user.id }, amount),
      hold: (amount: string, key: string = randomUUID(), other = {}) =>
        db.transaction((tx) =>
          hold(tx, { accountId: id, amount: usd(amount), key, reference, ...other }),
        ),
      account: () =>
        db.one<{ balance: bigint; held: bigint; status: string }>(
          sql`select balance, held, status from billing_account where id = ${id}`,
        ),
    };
  }
  return {
    spender,
    take: ({ id }: Hold, amount: string) => db.transaction((tx) => capture(tx, id, usd(amount))),
    free: ({ id }: Hold) => db.transaction((tx) => release(tx, id)),
    /** Asserts that `work` is refused with this code, and that no row changed. */
    refused: (code: string, work: () => Promise<unknown>) =>
      unchanged(async () => assert.equal(await outcome(work()), code)),
  };
}
