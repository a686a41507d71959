import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { sql } from '../db/sql.ts';
import { type Harness, startHarness } from './harness.ts';

/** For tests of add-funds: a server whose card processor fails on command, and people who pay. */
export async function startPayers(
  options: { waitAtMost?: number; delay?: number; dashboard?: string } = {},
) {
  let fault: Partial<Processor> = {};
  const { delay = 0, ...rest } = options;
  const harness: Harness = await startHarness({
    ...rest,
    processor: (database) =>
      new Proxy(sandbox(database, { delay }), {
        get: (target, name) => (fault as never)[name] ?? (target as never)[name],
      }),
  });
  const { fixtures, request, db } = harness;

  /** A person with a card. `add` sends add-funds for their own balance. */
  async function payer(token?: string) {
    const user = await fixtures.user();
    const card = await fixtures.card(user, token);
    const add = (amount: unknown, more: { card?: string; idempotencyKey?: string } = {}) =>
      request('POST', '/api/billing/add-funds', {
        key: user.key,
        body: { amount, payment_method_id: more.card ?? card },
        headers:
          more.idempotencyKey === undefined ? {} : { 'idempotency-key': more.idempotencyKey },
      });
    const balance = () => fixtures.balance({ userId: user.id });
    return { user, card, add, balance };
  }

  return {
    ...harness,
    payer,
    /** Replaces calls of the card processor; without an argument it works again. */
    breakProcessor: (calls: Partial<Processor> = {}) => {
      fault = calls;
    },
    topUpsOf: (user: { id: string }) =>
      db.many<{ id: string; status: string; failure_code: string | null }>(sql`
        select id, status, failure_code from top_up where user_id = ${user.id}
          order by created_at`),
    /** Micro-USD that the sandbox charged for a person, as text. */
    capturedBy: async (user: { id: string }) =>
      (
        await db.one<{ sum: string }>(sql`
          select coalesce(sum(i.amount), 0)::text as sum
            from sandbox_intent i join top_up t on t.processor_id = i.id
           where t.user_id = ${user.id} and i.status = 'succeeded'`)
      ).sum,
  };
}
