import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

test('200, 403: turns with their exact cost, the newest first; others see those that they asked for', async () => {
  const [owner, member, asker, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user({ name: 'Ada' }),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, asker);
  const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  for (const [by, nano] of [
    [owner.id, 1_500_000_001],
    [asker.id, 250_000_000],
  ] as const)
    await db.many(sql`
      update task_turn set spent_nano = ${nano}::bigint, requested_by_user_id = ${by}
       where id = ${await fixtures.turn(task, { state: 'done', attempt: 1 })}`);
  const turns = async ({ key }: { key: string }) =>
    request('GET', `/api/tasks/${task}/turns`, { key });
  const all = (await turns(owner)).body;
  assert.deepEqual(
    all.map((each: Record<string, unknown>) => [each.number, each.kind, each.state, each.amount]),
    [
      [2, 'plan', 'done', '0.25'],
      [1, 'plan', 'done', '1.500000001'],
    ],
  );
  assert.equal(all[0].requested_by_name, 'Ada');
  assert.deepEqual((await turns(member)).body, []);
  assert.deepEqual((await turns(asker)).body, [all[0]]);
  assert.equal((await turns(stranger)).status, 403);
});
