import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { type Place, resumeFunded } from './resume-funded.ts';

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;

/** So many tasks that paused for this reason, each with a turn that waits. */
async function pausedTasks(count: number, { balance, cap }: { balance?: string; cap?: number }) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, balance === undefined ? {} : { balance });
  const project = await fixtures.project({ organizationId: workspace });
  await db.many(sql`update project set spend_cap = ${cap ?? null} where id = ${project}`);
  const reason = cap === undefined ? 'insufficient_funds' : 'spend_cap';
  const made = await harness.owner<{ id: string }>(sql`
    insert into task (project_id, title, created_by_user_id, status, status_reason, last_turn)
    select ${project}, 'A task', ${owner.id}, 'paused', ${reason}, 1
      from generate_series(1, ${count})
    returning id`);
  const ids = made.map(({ id }) => id);
  await harness.owner(sql`
    with turn as (
      insert into task_turn (task_id, number, kind, source, prompt, spent_nano)
      select id, 1, 'plan', 'test:' || id, '', 1000 from unnest(${ids}::uuid[]) id
      returning id, task_id)
    insert into usage_event (idempotency_key, account_id, amount, reference_type, reference_id,
      occurred_at, task_id, project_id, organization_id, user_id)
    select 'turn:' || turn.id || ':1:use:1', a.id, 1000, 'task_turn', turn.id, now(), turn.task_id,
           ${project}::uuid, a.organization_id, ${owner.id}::uuid
      from turn join billing_account a on a.organization_id = ${workspace}`);
  return { workspace, project, ids };
}

const statusOf = async (id: string | undefined) =>
  (await db.one<{ status: string }>(sql`select status from task where id = ${id}`)).status;

/** All searches until the next one would begin anew. */
async function round(most: number): Promise<{ searches: number; resumed: number }> {
  let [searches, resumed] = [0, 0];
  let place: Place | undefined;
  do {
    const found = await resumeFunded(db, place, most);
    place = found.next;
    searches++;
    resumed += found.resumed;
  } while (place !== undefined);
  return { searches, resumed };
}

test('a search looks at so many tasks, and the next one goes on after them', async () => {
  await pausedTasks(4, {});
  await pausedTasks(3, { balance: '5.00', cap: 1 });
  const payable = await pausedTasks(1, { balance: '5.00' });
  assert.deepEqual(await round(3), { searches: 3, resumed: 1 });
  assert.equal(await statusOf(payable.ids[0]), 'queued');
  assert.deepEqual(await round(7), { searches: 2, resumed: 0 });
  assert.deepEqual(await round(8), { searches: 1, resumed: 0 });
});

test('it reads what its tasks need, however many others are paused; the cap of a project once', async () => {
  await pausedTasks(5_000, {});
  await pausedTasks(1_000, { balance: '5.00', cap: 1 });
  await harness.owner(sql`analyze task, task_turn, project, billing_account, usage_day`);
  const pages = async (place: Place): Promise<number> => {
    let sent: Sql | undefined;
    const many = async (query: Sql) => {
      sent = query;
      return [];
    };
    await resumeFunded({ many } as unknown as Tx, place, 500);
    const plan = await db.one<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      sql`explain (analyze, buffers, format json) ${sent as Sql}`,
    );
    const { Plan: top } = plan['QUERY PLAN'][0];
    return (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);
  };
  const id = '00000000-0000-0000-0000-000000000000';
  const unpaid = await pages({ reason: 'insufficient_funds', id });
  const capped = await pages({ reason: 'spend_cap', id });
  assert.ok(unpaid <= 2_000, `${unpaid} pages`);
  assert.ok(capped <= 8_000, `${capped} pages`);
});

test('a task goes on once its account has funds, unless it has nothing to do', async () => {
  const { workspace, ids } = await pausedTasks(2, {});
  await db.many(sql`
    update task_turn set state = 'cancelled', ended_at = now() where task_id = ${ids[1]}`);
  await round(10_000);
  assert.equal(await statusOf(ids[0]), 'paused');
  await fixtures.fund({ organizationId: workspace }, '1.00');
  assert.equal((await round(10_000)).resumed, 1);
  assert.deepEqual([await statusOf(ids[0]), await statusOf(ids[1])], ['queued', 'paused']);
});

test('what a paused turn needs is an amount or unknown, never zero', async () => {
  const { ids } = await pausedTasks(1, {});
  const needs = (amount: number | null) =>
    db.many(sql`update task_turn set needed = ${amount} where task_id = ${ids[0]}`);
  await harness.unchanged(() => assert.rejects(needs(0), /task_turn_needed_check/));
  await harness.unchanged(() => assert.rejects(needs(-1), /task_turn_needed_check/));
});
