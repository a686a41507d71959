import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness({ own: true });
const owner = await fixtures.user();
const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });

const get = async (path: string) => {
  const { status, body, text } = await request('GET', `/api${path}`, { key: owner.key });
  assert.equal(status, 200, text);
  return body;
};

test('what no process will see to says what it waits for: a pod, a check, a merge, a deploy', async () => {
  const offered = await fixtures.task(project, owner);
  await fixtures.pullRequest(offered, owner);
  await fixtures.check(offered, null);
  await db.many(sql`update check_run set state = 'queued', started_at = null`);
  await request('POST', `/api/tasks/${offered}/pod/start`, { key: owner.key });
  const queued = await fixtures.task(project, owner);
  await fixtures.pullRequest(queued, owner);
  await db.many(sql`
    insert into merge (task_id, branch, stage, method, expected_head_sha, requested_by_user_id)
    values (${queued}, 'main', 'production', 'merge', repeat('a', 40), ${owner.id})`);
  const merged = await fixtures.task(project, owner);
  await fixtures.pullRequest(merged, owner);
  await fixtures.merge(merged, owner);
  const deploy = await fixtures.deploy(merged);
  const reasons = async () => [
    (await get(`/tasks/${offered}/pod`)).reason,
    (await get(`/tasks/${offered}/pull-request/checks`))[0].reason,
    (await get(`/tasks/${queued}/merge`)).reason,
    (await get(`/deploys/${deploy}`)).reason,
  ];
  assert.deepEqual(await reasons(), Array(4).fill(undefined), 'a worker is there');
  await db.many(sql`update task_worker set seen_at = '2026-01-01'`);
  const waits =
    'It waits, because no process of this server carries out tasks now: ask its operator.';
  assert.deepEqual(await reasons(), Array(4).fill(waits));
});
