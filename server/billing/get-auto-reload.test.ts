import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

const PERSONAL = '/api/billing/auto-reload';
const of = (workspace: string) => `/api/organizations/${workspace}/billing/auto-reload`;

test('200: off by default, for a person and for a workspace', async () => {
  const owner = await fixtures.user();
  for (const path of [PERSONAL, of(await fixtures.workspace(owner))]) {
    const reply = await request('GET', path, { key: owner.key });
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body, { enabled: false, charged_this_month: '0.00' });
  }
});

test('200: what is set, why it waits, and what it charged; the month counts what is open, not what failed', async () => {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const { id } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  await db.many(sql`
    insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap,
      payment_method_id, paused_reason)
    values (${id}, true, 10000000, 25000000, 200500000, ${card}, 'card_lost')`);
  const charged = (usd: number, status: string, at: string, automatic = true) =>
    db.many(sql`
      insert into top_up (account_id, user_id, request_id, payment_method_id, amount, status,
        processor_id, automatic, processor,
                          failure_code, created_at)
      values (${id}, ${user.id}, 'test', ${card}, ${usd * 1_000_000}, ${status},
        ${`pi_${randomUUID()}`}, ${automatic}, 'sandbox',
              ${status === 'failed' ? 'card_declined' : null}, ${at})`);
  const { at, before } = await db.one<{ at: string; before: string }>(sql`
    select to_char(date_trunc('month', now(), 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
           to_char(date_trunc('month', now(), 'UTC') - interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as before`);
  await charged(25, 'succeeded', before);
  await charged(26, 'refunded', at);
  await charged(27, 'processing', at);
  await charged(28, 'failed', at);
  await charged(29, 'succeeded', at, false);
  const reply = await request('GET', PERSONAL, { key: user.key });
  assert.deepEqual(reply.body, {
    enabled: true,
    threshold: '10.00',
    amount: '25.00',
    monthly_cap: '200.50',
    payment_method_id: card,
    paused_reason: 'card_lost',
    last_charged_at: at,
    charged_this_month: '53.00',
  });
});
