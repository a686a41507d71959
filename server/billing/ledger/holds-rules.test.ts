import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sql, sql } from '../../db/sql.ts';
import { spenders } from '../../testing/fixtures/billing/spender.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';

const harness = await startHarness({ own: true });
const { db, unchanged, owner } = harness;
const { spender, take } = spenders(harness);

test('the database keeps holds by itself: the server cannot set what is held, the owner cannot rewrite a hold', async () => {
  const { id, hold } = await spender('10.00');
  const [open, ended] = [await hold('2.00'), await hold('2.00')];
  await take(ended, '1.00');
  const denied = [
    sql`update billing_account set held = 0 where id = ${id}`,
    sql`update hold set amount = 1 where id = ${open.id}`,
    sql`delete from hold where id = ${open.id}`,
    sql`insert into hold (account_id, amount, status, idempotency_key, reference_type, reference_id)
        values (${id}, 1, 'captured', 'x', 'task', ${id})`,
  ];
  const broken = [
    [
      sql`update hold set status = 'captured', captured = 1000000 where id = ${open.id}`,
      /foreign key/,
    ],
    [
      sql`update hold set status = 'captured', captured = 2000001 where id = ${open.id}`,
      /check constraint/,
    ],
    [sql`update hold set status = 'released' where id = ${ended.id}`, /ends once/],
    [
      sql`update billing_account set status = 'active', balance = -1 where id = ${id}`,
      /debt_is_frozen/,
    ],
  ] as const;
  const rewritten = [
    [
      sql`update hold set amount = 1, status = 'released' where id = ${open.id}`,
      /nothing else of it/,
    ],
    [sql`delete from hold where id = ${open.id}`, /insert-only/],
    [
      sql`insert into hold (account_id, amount, captured, status, ended_at, idempotency_key,
        reference_type, reference_id)
          values (${id}, 1, 1, 'captured', now(), 'x', 'task', ${id})`,
      /begins open/,
    ],
  ] as const;
  await unchanged(async () => {
    for (const query of denied) await assert.rejects(db.many(query), /permission denied/);
    for (const [query, message] of [...broken, ...rewritten])
      await assert.rejects(owner(query), message);
  });
});

test('audit: held money without holds, a charge without its hold and a debt that can be spent on are found', async () => {
  const violations = async (accountId: string) =>
    (await auditLedger(db)).violations
      .filter((one) => one.accountId === accountId)
      .map(({ rule }) => rule);
  const corruptions: [(ids: { account: string; hold: string }) => string, string[]][] = [
    [
      ({ account }) => `update billing_account set held = 5 where id = '${account}'`,
      ['held_is_open_holds'],
    ],
    [
      ({ hold }) => `update hold set captured = captured + 1 where id = '${hold}'`,
      ['one_charge_a_use'],
    ],
    [
      ({ hold }) => `update hold set id = gen_random_uuid() where id = '${hold}'`,
      ['one_charge_a_use'],
    ],
    [
      ({ hold }) =>
        `update hold set status = 'open', captured = 0, ended_at = null where id = '${hold}'`,
      ['held_is_open_holds', 'one_charge_a_use'],
    ],
    [
      ({ account }) => `update billing_account set status = 'active' where id = '${account}'`,
      ['debt_is_frozen'],
    ],
  ];
  await owner(sql`alter table billing_account drop constraint billing_account_debt_is_frozen`);
  for (const [statement, rules] of corruptions) {
    const { id, hold, fund } = await spender('10.00');
    const held = await take(await hold('2.00'), '1.00');
    await fund('-10.00');
    assert.deepEqual(await violations(id), []);
    const text = `set session_replication_role = replica; ${statement({ account: id, hold: held.id })}`;
    await owner(new Sql([text], []));
    assert.deepEqual([...new Set(await violations(id))], rules);
  }
});
