import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sql, sql } from '../../db/sql.ts';
import { type Sent, watchStatements } from '../../testing/database/statements.ts';
import { limitsOn } from '../../testing/fixtures/billing/spend-limits.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { claimTurn, type Turn } from './claim.ts';
import { turnMoney } from './money.ts';
import { payerOf } from './payer.ts';

/** What looking for limits costs: nothing where there are none. */

const harness = await startHarness({ own: true });
const { db } = harness;
const tasks = workersOn(harness);
const { limited } = limitsOn(harness, tasks);

let log: Sent[] = [];
watchStatements((sent) => log.push(sent));

async function roundTrips(turn: Turn): Promise<number> {
  const money = turnMoney(db, turn, { lost: () => false });
  log = [];
  await money.begin();
  return log.length;
}

const claim = async () =>
  (await claimTurn(db, { owner: 'w', lease: 60_000, deadline: 60_000 })) as Turn;

test('the first slice of a turn: the round trips of before without limits, two more with some', async () => {
  const { start, put } = await limited(2);
  await start();
  assert.equal(await roundTrips(await claim()), 10);
  await put({ subject: 'balance', amount: 40 });
  assert.equal(await roundTrips(await claim()), 12);
});

test('what limits leave is read from few pages, however much others have used and limited', async () => {
  const many = await limited(1);
  await harness.owner(sql`
    insert into app_user (email, is_active)
    select 'payer-' || n || '@example.com', true from generate_series(1, 50) n`);
  await harness.owner(sql`
    with payer as (
      select a.id, u.id as user_id from billing_account a join app_user u on u.id = a.user_id
       where u.email like 'payer-%'),
    made as (
      insert into task (project_id, title, created_by_user_id)
      select ${many.project}, 'Many', payer.user_id from payer, generate_series(1, 100)
      returning id, created_by_user_id as user_id),
    limits as (
      insert into spend_limit (account_id, task_id, amount)
      select payer.id, made.id, 1000000 from made join payer using (user_id))
    insert into usage_day (account_id, day, kind, task_id, project_id, user_id,
                           amount, input_tokens, output_tokens, pod_seconds, events)
    select payer.id, (now() at time zone 'UTC')::date, 'model', made.id, gen_random_uuid(),
           payer.user_id, 1000, 0, 0, 0, 1
      from made join payer using (user_id)`);
  const few = await limited(1);
  await few.start();
  await harness.owner(sql`analyze usage_day, spend_limit, task, task_turn`);
  const { turnId } = await claim();
  const pages = async () => {
    let sent: Sql | undefined;
    const one = async (query: Sql) => {
      sent = query;
      return { account_id: null, slice: 0n, left_to_limits: null };
    };
    await payerOf({ one } as never, turnId, 0n);
    const plan = await db.one<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      sql`explain (analyze, buffers, format json) ${sent as Sql}`,
    );
    const { Plan: top } = plan['QUERY PLAN'][0];
    return (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);
  };
  const without = await pages();
  assert.ok(without <= 60, `${without} pages`);
  await few.put(
    { subject: 'balance', amount: 40 },
    { subject: 'project', subject_id: few.project, amount: 40 },
    { subject: 'member', subject_id: few.owner.id, amount: 40 },
  );
  const limits = await pages();
  assert.ok(limits <= 120, `${limits} pages`);
});
