import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { claimTurn, type Turn } from '../../runner/worker/claim.ts';
import { type Ending, endTurn } from '../../runner/worker/end-turn.ts';
import { turnMoney } from '../../runner/worker/money.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { fixturesOn } from '../../testing/fixtures/tenants.ts';
import { endHoldsOf } from '../ledger/end-holds.ts';
import { auditLedger } from './ledger-audit.ts';

/** Each test corrupts the turns of a ledger of its own, with triggers and foreign keys off. */

/**
 * A turn that is done, one at work, and one whose task was deleted, all of which cost something.
 */
async function ledger() {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url, poolSize: 4 });
  after(async () => {
    await db.close();
    await clone.drop();
  });
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const work = async (nano: bigint) => {
    const taskId = await fixtures.task(project, owner);
    await fixtures.message(taskId, owner);
    const turn = (await claimTurn(db, {
      owner: 'a worker',
      lease: 60_000,
      deadline: 60_000,
    })) as Turn;
    assert.equal(turn.taskId, taskId);
    const money = turnMoney(db, turn, { lost: () => false });
    await money.begin();
    await money.charge(nano);
    await money.charge(1n);
    const end = (ending: Ending) =>
      db.transaction((tx) => endTurn(tx, turn, ending, async () => {}));
    return { ...turn, end };
  };
  const done = await work(450_000_000n);
  await done.end({ state: 'done', text: 'Done' });
  const deleted = await work(70_000_000n);
  await db.transaction(async (tx) => {
    await endHoldsOf(tx, 'task', sql`select ${deleted.taskId}::uuid`);
    await tx.many(sql`delete from task where id = ${deleted.taskId}`);
  });
  const running = await work(1_500n);

  const corrupt = async (statement: string) => {
    const client = new pg.Client({ connectionString: clone.url });
    await client.connect();
    try {
      const named = statement
        .replaceAll("'DONE'", `'${done.turnId}'`)
        .replaceAll("'RUNNING'", `'${running.turnId}'`);
      await client.query(`set session_replication_role = replica; ${named}`);
    } finally {
      await client.end();
    }
  };
  const rules = async () => (await auditLedger(db)).violations.map(({ rule }) => rule);
  return { corrupt, rules };
}

test('turns at work, ended and deleted: nothing is found', async () => {
  const { rules } = await ledger();
  assert.deepEqual(await rules(), []);
});

const AGAIN = (turn: string, key: string) => `
  insert into usage_event
         (account_id, idempotency_key, amount, reference_type, reference_id, occurred_at)
  select account_id, ${key}, amount, reference_type, ${turn}, occurred_at
    from usage_event where reference_id = 'RUNNING' and amount = 1500`;

const corruptions: Record<string, [string, string[]]> = {
  'a turn that is said to have cost more than its usage': [
    "update task_turn set spent_nano = spent_nano + 1 where id = 'DONE'",
    ['turn_cost_is_its_usage'],
  ],
  'a turn that is said to have cost less, while it is at work': [
    "update task_turn set spent_nano = spent_nano - 1 where id = 'RUNNING'",
    ['turn_cost_is_its_usage'],
  ],
  'usage that was recorded twice': [
    AGAIN("'RUNNING'", "idempotency_key || 'again'"),
    ['turn_cost_is_its_usage', 'usage_day_is_its_events'],
  ],
  'usage of a turn that never was': [
    AGAIN('gen_random_uuid()', "'turn:' || gen_random_uuid() || ':1:use:1'"),
    ['usage_has_its_turn', 'usage_day_is_its_events'],
  ],
  'a turn that was deleted, while its task was not': [
    "delete from task_turn where id = 'DONE'",
    ['usage_has_its_turn', 'usage_has_its_turn'],
  ],
  'a hold that outlives its turn': [
    `update task_turn set state = 'interrupted', owner = null, lease_until = null
      where id = 'RUNNING'`,
    ['hold_ends_with_its_turn'],
  ],
  'a hold that outlives its task': [
    `delete from task_turn where id = 'RUNNING';
     delete from task where id in (select reference_id from hold where status = 'open')`,
    ['hold_ends_with_its_turn'],
  ],
  'a hold of another account than the one that pays': [
    `update task_turn set account_id = (select id from billing_account where kind = 'user')
      where id = 'RUNNING'`,
    ['hold_ends_with_its_turn'],
  ],
};

for (const [what, [statement, expected]] of Object.entries(corruptions))
  test(`${what} is found: ${[...new Set(expected)].join(', ')}`, async () => {
    const { corrupt, rules } = await ledger();
    await corrupt(statement);
    assert.deepEqual(await rules(), expected);
  });
