import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Sql, sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { recordUsage, settleUsage, type UsageEvent } from './usage.ts';

const { fixtures, db, unchanged, owner } = await startHarness({ own: true });

async function consumer() {
  const user = await fixtures.user();
  return db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`);
}
const event = (accountId: string, amount: number, key: string = randomUUID()): UsageEvent => {
  const reference = { type: 'task', id: accountId };
  return { key, accountId, amount: BigInt(amount), reference, occurredAt: new Date() };
};
const record = (one: UsageEvent) => db.transaction((tx) => recordUsage(tx, [one]));

test('the database keeps usage by itself: no event is changed, settled twice, or slipped into a settlement', async () => {
  const { id } = await consumer();
  await record(event(id, 1_500, 'settled'));
  await settleUsage(db);
  await record(event(id, 10, 'pending'));
  const settlement = sql`(select id from usage_settlement where account_id = ${id})`;
  const row = (number: number, carriedIn: number, micro: number) => sql`
    insert into usage_settlement (account_id, number, events, total_nano, carried_in, carried_out,
      micro)
    values (${id}, ${number}, 1, 10, ${carriedIn}, ${carriedIn + 10 - micro * 1000}, ${micro})`;
  const broken: [Sql, RegExp][] = [
    [
      sql`update usage_event set settlement_id = ${settlement} where idempotency_key = 'pending'`,
      /sum of its/,
    ],
    [
      sql`update usage_event set settlement_id = null where idempotency_key = 'settled'`,
      /settled once/,
    ],
    [sql`update usage_event set amount = 1 where idempotency_key = 'pending'`, /settled once/],
    [sql`delete from usage_event where idempotency_key = 'pending'`, /insert-only/],
    [sql`update usage_settlement set micro = 0 where account_id = ${id}`, /insert-only/],
    [row(1, 0, 0), /unique constraint/],
    [row(2, 499, 0), /foreign key/],
    [row(3, 500, 0), /foreign key/],
    [
      sql`insert into usage_settlement (account_id, number, events, total_nano, carried_in,
        carried_out, micro)
         values (${id}, 2, 1, 1500, 500, 0, 2)`,
      /foreign key.*transfer_key|transfer_key.*foreign key/,
    ],
    [row(2, 500, 1), /check constraint/],
  ];
  await unchanged(async () => {
    for (const [query, message] of broken) await assert.rejects(owner(query), message);
    for (const query of [
      sql`update usage_event set amount = 1 where account_id = ${id}`,
      sql`delete from usage_event where account_id = ${id}`,
      sql`update usage_settlement set micro = 0 where account_id = ${id}`,
    ])
      await assert.rejects(db.many(query), /permission denied/);
  });
  await settleUsage(db);
});

test('audit: an event beside its settlement, a broken carry and a charge without its settlement are found', async () => {
  const violations = async (accountId: string) =>
    (await auditLedger(db)).violations
      .filter((one) => one.accountId === accountId)
      .map(({ rule }) => rule);
  const corruptions: [(id: string) => string, string[]][] = [
    [
      (id) => `update usage_event set amount = 1501 where account_id = '${id}'`,
      ['settlement_is_its_events', 'usage_day_is_its_events'],
    ],
    [
      (id) => `update usage_event set settlement_id = null where account_id = '${id}'`,
      ['settlement_is_its_events'],
    ],
    [
      (id) =>
        `update usage_settlement set carried_in = 507, carried_out = 7 where account_id = '${id}' and number = 2`,
      ['carries_follow_each_other'],
    ],
    [
      (id) => `delete from usage_settlement where account_id = '${id}' and number = 1`,
      ['carries_follow_each_other', 'one_charge_a_use', 'settlement_is_its_events'],
    ],
  ];
  for (const [statement, rules] of corruptions) {
    const { id } = await consumer();
    for (let i = 0; i < 2; i++) {
      await record(event(id, 1_500));
      await settleUsage(db);
    }
    assert.deepEqual(await violations(id), []);
    await owner(new Sql([`set session_replication_role = replica; ${statement(id)}`], []));
    assert.deepEqual([...new Set(await violations(id))], rules);
    await owner(
      new Sql(
        [
          `set session_replication_role = replica; delete from usage_event where account_id = '${id}';
           delete from usage_day where account_id = '${id}'`,
        ],
        [],
      ),
    );
  }
});
