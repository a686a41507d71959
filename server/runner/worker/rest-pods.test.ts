import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { today, usageOn } from '../../testing/fixtures/billing/usage.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { claimTurn } from './claim.ts';
import { restPod } from './pods.ts';
import { restPods } from './rest-pods.ts';

/** Pods that run although nothing uses them rest, so that no one pays for them. */

const harness = await startHarness({ own: true });
const { db, fixtures, unchanged } = harness;
const at = await agentsAtWork(harness);
const usage = usageOn(harness);
const place = { driver: at.pods, podIdle: 3_600_000, podPrice: 360_000n };

/** A task with a pod that runs, as a worker that died has left it, or as a person has started it. */
async function running(started: 'by its turn' | 'by a person') {
  const task = await at.task();
  const { id } = await db.one<{ id: string }>(sql`
    insert into pod (task_id, driver, state, expires_at)
    values (${task.id}, 'process', 'running',
            case when ${started === 'by a person'} then now() + interval '1 day' end)
    returning id`);
  await at.pods.create(id);
  await at.pods.start(id);
  return { ...task, pod: id };
}
const states = async ({ id, pod }: { id: string; pod: string }) => {
  const { state, ends } = await db.one<{ state: string; ends: boolean }>(sql`
    select state, expires_at > now() as ends from pod where task_id = ${id}`);
  return { state, ends, real: (await at.pods.find(pod)).state };
};
const RUNS = { state: 'running', real: 'running' };
const RESTS = { state: 'paused', ends: true, real: 'paused' };

test('a pod whose turn ended without a worker rests; one that a person has started does not', async () => {
  const [forgotten, wanted] = [await running('by its turn'), await running('by a person')];
  assert.equal(await restPods(db, place), 1);
  assert.deepEqual(await states(forgotten), RESTS);
  assert.deepEqual(await states(wanted), { ...RUNS, ends: true });
  await unchanged(() => restPods(db, place));
});

test('one that a person starts while another is let rest goes on', async () => {
  const [first, second] = [await running('by its turn'), await running('by its turn')];
  const pause = async (id: string) => {
    await db.many(sql`
      update pod set expires_at = now() + interval '1 day'
       where id = any(${[first.pod, second.pod]}::uuid[]) and id <> ${id}`);
    return at.pods.pause(id);
  };
  assert.equal(await restPods(db, { ...place, driver: { ...at.pods, pause } }), 1);
  const [rests, goesOn] = (await Promise.all([first, second].map(states))).sort((a, b) =>
    a.state.localeCompare(b.state),
  );
  assert.deepEqual([rests, goesOn], [RESTS, { ...RUNS, ends: true }]);
});

test('one that cannot be let rest, for whatever reason, keeps no other one awake', async () => {
  const tasks = [
    await running('by its turn'),
    await running('by its turn'),
    await running('by its turn'),
  ];
  const [first, second] = tasks.map(({ pod }) => pod);
  const failures = [new TypeError('no such answer'), new TypeError('another')];
  const pause = async (id: string) => {
    if (id === first) throw failures[0];
    if (id === second) throw failures[1];
    return at.pods.pause(id);
  };
  const driver = { ...at.pods, pause };
  await assert.rejects(restPods(db, { ...place, driver }), { errors: failures });
  const [one, other, third] = await Promise.all(tasks.map(states));
  assert.deepEqual([one, other, third], [{ ...RUNS, ends: null }, { ...RUNS, ends: null }, RESTS]);
  // They are tried again once their claims have ended.
  await db.many(sql`update pod set held_until = now() where id = any(${[first, second]}::uuid[])`);
  assert.equal(await restPods(db, place), 2);
});

test('never the pod of a turn at work, nor one that is held', async () => {
  const [used, held] = [await running('by its turn'), await running('by its turn')];
  await at.queue(used.id);
  assert.equal((await claimTurn(db, { owner: 'a', lease: 1, deadline: 60_000 }))?.taskId, used.id);
  await db.many(sql`
    update pod set held_by = 'another', held_until = now() + interval '1 minute'
     where id = ${held.pod}`);
  await unchanged(() => restPods(db, place));
});

test('at the end of a turn, unless another worker has taken it over', async () => {
  const [mine, theirs] = [await running('by its turn'), await running('by its turn')];
  for (const task of [mine, theirs]) {
    await at.queue(task.id);
    const turn = await claimTurn(db, { owner: 'a', lease: 60_000, deadline: 60_000 });
    assert.equal(turn?.taskId, task.id);
    if (task === theirs)
      await db.many(sql`update task set fence = fence + 1 where id = ${task.id}`);
    await restPod(db, at.pods, turn, task.pod, place.podIdle);
  }
  assert.deepEqual(await states(mine), RESTS);
  assert.deepEqual(await states(theirs), { ...RUNS, ends: null });
});

test('where pods have a price, one that no one pays rests, whoever has started it', async () => {
  const [broke, limited, paid] = [
    await running('by a person'),
    await running('by a person'),
    await running('by a person'),
  ];
  const empty = await fixtures.workspace(broke.owner);
  await db.many(sql`
    update project set organization_id = ${empty}
     where id = (select project_id from task where id = ${broke.id})`);
  await db.many(sql`
    insert into spend_limit (account_id, task_id, amount)
    select a.id, ${limited.id}, 1_000_000 from billing_account a
     where a.organization_id = ${limited.workspace}`);
  await usage.use(limited.id, limited.owner, { nano: 1_000_000_000, day: today() });
  await restPods(db, { ...place, podPrice: 0n });
  for (const task of [broke, limited, paid])
    assert.deepEqual(await states(task), { ...RUNS, ends: true });
  await restPods(db, place);
  assert.deepEqual(await states(broke), RESTS);
  assert.deepEqual(await states(limited), RESTS);
  assert.deepEqual(await states(paid), { ...RUNS, ends: true });
});

test('one that is gone is asked for again, until that is certain', async () => {
  const task = await running('by its turn');
  await at.pods.destroy(task.pod);
  await restPods(db, place);
  const { state } = await states(task);
  assert.equal(state, 'unknown');
});
