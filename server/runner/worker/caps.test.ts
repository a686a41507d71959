import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { TurnRunner } from './runner.ts';

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const tasks = workersOn(harness);

const CENT = 10_000_000n; // nano-USD

/** An agent that costs so many cents, one at a time. */
const costing =
  (cents: number): TurnRunner['run'] =>
  async (_, { charge }) => {
    for (let i = 0; i < cents; i++) await charge(CENT);
    return { text: 'Done' };
  };

/** So many tasks in a project with this cap, in micro-USD, each with a turn. */
async function cappedProject(count: number, cap: number) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '50.00' });
  const project = await fixtures.project({ organizationId: workspace });
  await db.many(sql`update project set spend_cap = ${cap} where id = ${project}`);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = await fixtures.task(project, owner);
    await tasks.queue(id, 'prompt');
    ids.push(id);
  }
  const spent = async () =>
    (
      await db.one<{ spent: bigint }>(sql`
        select coalesce(sum(spent_nano), 0)::bigint / 10000000 as spent
          from task_turn where task_id = any(${ids}::uuid[])`)
    ).spent;
  const statuses = async () =>
    (
      await db.many<{ status: string }>(sql`
        select status || coalesce(':' || status_reason, '') as status
          from task where id = any(${ids}::uuid[]) order by 1`)
    ).map(({ status }) => status);
  return { owner, project, ids, spent, statuses };
}

test('race: the tasks of a project that are at work at once spend no more than its cap', async () => {
  const { spent, statuses } = await cappedProject(6, 1_300_000);
  tasks.worker(costing(40), { concurrency: 3 });
  tasks.worker(costing(40), { concurrency: 3 });
  // The cap pays for three of them, and for ten cents of the others.
  await until('all that can be paid is done', async () => (await spent()) === 130n);
  await until('all are at rest', async () =>
    (await statuses()).every((status) => ['ready', 'paused:spend_cap'].includes(status)),
  );
  assert.equal(await spent(), 130n);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a task that paused at the cap of its project goes on when the others need less than they held', async () => {
  // Whichever is first holds all that is left.
  const { spent, statuses } = await cappedProject(3, 500_000);
  tasks.worker(costing(10), { concurrency: 3 });
  await until('all are done', async () => (await statuses()).every((each) => each === 'ready'));
  assert.equal(await spent(), 30n);
});

test('a task that paused at a cap goes on by itself when it is raised', async () => {
  const { project, spent, statuses } = await cappedProject(1, 100_000);
  tasks.worker(costing(15));
  await until('it pauses', async () => (await statuses())[0] === 'paused:spend_cap');
  assert.equal(await spent(), 10n);
  await db.many(sql`update project set spend_cap = 500000 where id = ${project}`);
  await until('it is done', async () => (await statuses())[0] === 'ready');
});

test('what a deleted task has cost still counts in the cap of its project', async () => {
  const { owner, project, ids, spent, statuses } = await cappedProject(1, 100_000);
  tasks.worker(costing(15));
  await until('it pauses', async () => (await statuses())[0] === 'paused:spend_cap');
  assert.equal(await spent(), 10n);
  const { status } = await harness.request('DELETE', `/api/tasks/${ids[0]}`, { key: owner.key });
  assert.equal(status, 200);
  const next = await fixtures.task(project, owner);
  await tasks.queue(next, 'prompt');
  const shown = () =>
    db.one<{ status: string; spent: bigint }>(sql`
      select t.status || coalesce(':' || t.status_reason, '') as status,
             u.spent_nano / 10000000 as spent
        from task t join task_turn u on u.task_id = t.id where t.id = ${next}`);
  await until('it pauses', async () => (await shown()).status === 'paused:spend_cap');
  assert.equal((await shown()).spent, 0n);
  await db.many(sql`update project set spend_cap = 150000 where id = ${project}`);
  await until('it spends the rest', async () => (await shown()).spent === 5n);
  await until('it pauses again', async () => (await shown()).status === 'paused:spend_cap');
});
