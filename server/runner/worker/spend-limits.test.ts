import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { CENT, costing, limitsOn } from '../../testing/fixtures/billing/spend-limits.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { startProgram } from '../../testing/processes/start-program.ts';

const harness = await startHarness({ own: true });
const { db, databaseUrl, fixtures, request } = harness;
const tasks = workersOn(harness);
const { limited } = limitsOn(harness, tasks);

const assertAgrees = async () => assert.deepEqual((await auditLedger(db)).violations, []);

const notices = async (id: string | undefined) =>
  (await tasks.eventsOf(id as string))
    .filter(({ type }) => type === 'notice')
    .map(({ text }) => text as string);

/** What the events of a task say once, by what the limit is on. */
const NOTICES: Record<string, RegExp> = {
  balance:
    /^The spend limit of this month for the whole balance is reached\. What was done [^,]+, and/,
  project: /^The spend limit of this month for this project is reached\. What was done [^,]+, and/,
  member: /^The spend limit of this month for the person who asked for this is reached\. /,
  task: /^The spend limit of this month for this task is reached\. What was done [^,]+, and/,
};

for (const subject of ['balance', 'project', 'member', 'task'])
  test(`a limit on a ${subject} stops its agent exactly there, and its work is kept`, async () => {
    const { owner, workspace, project, ids, start, put, cents, untilAll } = await limited(1);
    const subject_id = { project, member: owner.id, task: ids[0], balance: undefined }[subject];
    await put({ subject, subject_id, amount: '0.77' });
    await start();
    tasks.worker(costing(1_000));
    await untilAll('paused:spend_limit');
    assert.equal(await cents(), 77n);
    assert.equal(await fixtures.balance({ organizationId: workspace }), 49_230_000n);
    const [turn] = await db.many(sql`
      select state, error from task_turn where task_id = ${ids[0]}`);
    assert.deepEqual(turn, { state: 'interrupted', error: null });
    await until('the limit is noted', async () => (await notices(ids[0])).length > 0);
    assert.match((await notices(ids[0])).join(), NOTICES[subject] as RegExp);
    await assertAgrees();
  });

test('limits on others stop nothing, and of several the smallest rest counts', async () => {
  const { project, ids, start, put, cents, statuses, untilAll } = await limited(2);
  const colleague = await fixtures.user();
  await fixtures.grant(project, colleague, 'member');
  await put(
    { subject: 'task', subject_id: ids[1], amount: '0.03' },
    { subject: 'member', subject_id: colleague.id, amount: '0.01' },
    { subject: 'balance', amount: 20 },
  );
  await start();
  tasks.worker(costing(60));
  await untilAll('ready', 'paused:spend_limit');
  assert.deepEqual(await statuses(), ['paused:spend_limit', 'ready']);
  assert.equal(await cents(), 63n);
});

test('a limit on a person counts what they ask for, and not what others do in the same task', async () => {
  const { owner, project, ids, put, cents, untilAll } = await limited(1);
  const colleague = await fixtures.user();
  await fixtures.grant(project, colleague, 'member');
  await put({ subject: 'member', subject_id: colleague.id, amount: '0.05' });
  const id = ids[0] as string;
  await tasks.queue(id, 'prompt', 'Do it', owner);
  tasks.worker(costing(20));
  await untilAll('ready');
  await tasks.queue(id, 'prompt', 'And that', colleague);
  await untilAll('paused:spend_limit');
  assert.equal(await cents(), 25n);
});

test('race: tasks that are at work at once in several workers spend no more than a limit', async () => {
  for (const [cents, spent] of [
    [1, 130n],
    [7, 130n],
  ] as const) {
    const { project, start, put, cents: sum, untilAll } = await limited(6);
    await put(
      { subject: 'balance', amount: '1.30' },
      { subject: 'project', subject_id: project, amount: '2.00' },
    );
    await start();
    const workers = [1, 2, 3].map(() => tasks.worker(costing(40, cents), { concurrency: 2 }));
    await until('all of the limit is spent', async () => (await sum()) === spent);
    await untilAll('ready', 'paused:spend_limit');
    assert.equal(await sum(), spent);
    await assertAgrees();
    await Promise.all(workers.map((worker) => worker.close()));
  }
});

test('race: a limit that is set while tasks are at work; what they hold already is all that follows', async () => {
  const { start, put, cents, untilAll } = await limited(4);
  await start();
  tasks.worker(costing(1_000), { concurrency: 4 });
  await until('they are at work', async () => (await cents()) > 20n);
  await put({ subject: 'balance', amount: '0.01' });
  const then = await cents();
  await untilAll('paused:spend_limit');
  assert.ok((await cents()) <= then + 4n * 50n);
  await assertAgrees();
});

test('a task that paused because others held the rest of a limit goes on when they need less', async () => {
  const { start, put, cents, untilAll } = await limited(3);
  await put({ subject: 'balance', amount: '0.50' });
  await start();
  tasks.worker(costing(10), { concurrency: 3 });
  await untilAll('ready');
  assert.equal(await cents(), 30n);
});

test('a project that moves in the middle ends the limits of the one owner and meets those of the other', async () => {
  const { owner, workspace, project, ids, start, put, cents } = await limited(1);
  await put({ subject: 'project', subject_id: project, amount: '0.90' });
  const next = await fixtures.workspace(owner, { balance: '50.00' });
  const path = `/api/organizations/${next}/billing/spend-limits`;
  const body = { limits: [{ subject: 'balance', amount: '0.20' }] };
  assert.equal((await request('PUT', path, { key: owner.key, body })).status, 200);
  await start();
  let moved = false;
  tasks.worker(async (_, { charge }) => {
    for (let i = 0; i < 1_000; i++) {
      await charge(CENT);
      if (moved) continue;
      moved = true;
      const given = await request('POST', `/api/projects/${project}/transfer`, {
        key: owner.key,
        body: { organization_id: next },
      });
      assert.equal(given.status, 200, given.text);
    }
    return { text: 'Done' };
  });
  await tasks.untilStatus(ids[0] as string, 'paused');
  assert.deepEqual(await tasks.status(ids[0] as string), {
    status: 'paused',
    reason: 'spend_limit',
  });
  // Its slice was held before the move.
  assert.deepEqual([await cents(), await cents(next)], [41n, 20n]);
  assert.equal(await fixtures.balance({ organizationId: workspace }), 50_000_000n - 410_000n);
  await assertAgrees();
});

test('kill -9 of workers that spend under a limit: others go on, and no more than it is spent', async () => {
  const { start, put, cents, untilAll } = await limited(3, 'spend');
  await put({ subject: 'balance', amount: '1.10' });
  await start();
  const child = () => startProgram('worker-process.ts', [], { DATABASE_URL: databaseUrl });
  const children = [child(), child(), child()];
  try {
    await until('they spend', async () => (await cents()) >= 20n);
    const exits = children.map((each) => once(each, 'exit'));
    for (const each of children) each.kill('SIGKILL');
    await Promise.all(exits);
    await tasks.expireLeases();
    const dead = await cents();
    assert.ok(dead < 110n);
    tasks.worker(costing(1_000), { concurrency: 3 });
    await until('all of the limit is spent', async () => (await cents()) === 110n);
    await untilAll('paused:spend_limit');
    assert.equal(await cents(), 110n);
    await assertAgrees();
  } finally {
    for (const each of children) each.kill('SIGKILL');
  }
});
