import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { refreshDeploys } from '../../code/github/refresh-deploys.ts';
import { sql } from '../../db/sql.ts';
import { startGithub } from '../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../testing/fixtures/code/tasks-on-github.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { publishIdle } from './publish-changes.ts';

/** What GitHub says is an event of the task where it changes what is known, and none otherwise. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, request } = harness;
const { events, eventsOf } = workersOn(harness);
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { shop } = on;
const log = pino({ level: 'silent' });

const call = (path: string, body?: object) =>
  request('POST', `/api/tasks/${path}`, { key: owner.key, ...(body && { body }) });
const onFailure = (error: unknown) => assert.fail(error as Error);

test('polls of a pull request, its checks and its deployments are events where something changed', async () => {
  const { taskId, head } = await on.built();
  let seen = 0;
  /** What has become an event since the last time. */
  async function news(): Promise<string[]> {
    await publishIdle(db, events, { owner: 'test', onFailure });
    const all = (await eventsOf(taskId)).map(
      ({ type, state, name, conclusion, mergeable, head_sha, stage }) =>
        [
          type,
          name,
          conclusion ?? state,
          stage,
          mergeable,
          head_sha === head ? undefined : head_sha,
        ]
          .filter((part) => part !== undefined)
          .join(' '),
    );
    const from = seen;
    seen = all.length;
    return all.slice(from);
  }
  async function refreshed() {
    await on.due(taskId);
    await on.refresh();
    return news();
  }
  assert.equal((await call(`${taskId}/pull-request`)).status, 201);
  assert.deepEqual(await news(), ['pull_request open']);
  assert.deepEqual(await refreshed(), ['pull_request open true', 'checks pending']);
  assert.deepEqual(await refreshed(), [], 'nothing has changed');
  const tests = { name: 'tests', status: 'in_progress' as const };
  fake.check(shop, head, tests);
  fake.check(shop, head, { name: 'lint', conclusion: 'success' });
  assert.deepEqual((await refreshed()).sort(), ['check lint success', 'check tests in_progress']);
  fake.check(shop, head, { name: 'tests', conclusion: 'success' });
  assert.deepEqual(await refreshed(), ['check tests success', 'checks passed']);
  assert.deepEqual(await refreshed(), []);
  const asked = await call(`${taskId}/merge`, { expected_head_sha: head });
  assert.equal(asked.status, 200, asked.text);
  await on.carryOut();
  assert.deepEqual((await news()).sort(), [
    'merge merged production',
    'merge queued production',
    'pull_request merged true',
  ]);
  const commit = shop.branches.get('18.0') ?? assert.fail();
  const deploys = async () => {
    await db.many(sql`update merge set looked_at = null where task_id = ${taskId}`);
    await refreshDeploys(db, on.github, log);
    return news();
  };
  fake.status(shop, commit, { context: 'ci/odoo.sh (staging)', state: 'success' });
  const deployment = fake.deploy(shop, { ref: commit, environment: 'production' });
  fake.deployStatus(shop, deployment, 'in_progress');
  assert.deepEqual((await deploys()).sort(), [
    'deploy running production',
    'deploy success staging',
  ]);
  fake.deployStatus(shop, deployment, 'failure');
  assert.deepEqual(await deploys(), ['deploy failed production']);
  assert.deepEqual(await deploys(), []);
});
