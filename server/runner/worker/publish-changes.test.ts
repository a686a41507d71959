import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { checksOn } from '../../testing/fixtures/code/checks.ts';
import { deploysOn } from '../../testing/fixtures/code/deploys.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

/** What happens to the code of a task is among its events, whether a turn is at work or not. */

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const tasks = workersOn(harness);
const checks = await checksOn(harness);
const deploys = await deploysOn(harness);
const { owner, ask, begin, built, openPullRequest, pods, work } = deploys;
const isOfCode = ({ type }: { type: string }) =>
  ['pull_request', 'checks', 'check', 'fix_checks', 'merge', 'deploy'].includes(type);

/** The events about the code of a task, once nothing waits any more. */
async function codeEvents(taskId: string) {
  await until('everything is published', async () => {
    const waiting = await db.many(sql`
      select from task_event_outbox where task_id = ${taskId}`);
    return waiting.length === 0;
  });
  const found = (await tasks.eventsOf(taskId)).filter(isOfCode);
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'each has an id');
  return found.map(({ id, check_id, merge_id, deploy_id, ...event }) => event);
}

const file = (command: string) =>
  JSON.stringify({
    checks: [{ name: 'tests', run: command }],
    deploy: { production: 'echo deployed' },
  });

test('from the pull request to its deploy, what happens is in the events in order', async () => {
  const task = await built({ '.guildhall.yml': file('exit 1') });
  const { taskId, head: first } = task;
  await openPullRequest(taskId);
  checks.worker(pods);
  await checks.untilEnded(taskId);
  const fixing = await request('POST', `/api/tasks/${taskId}/pull-request/fix-checks`, {
    key: owner.key,
  });
  assert.equal(fixing.status, 201);
  await task.write('.guildhall.yml', file('true'));
  const head = await task.commit();
  await begin(taskId);
  await checks.untilEnded(taskId);
  const { body: merge } = await ask({ taskId, head });
  await work();
  const { id, commit } = await db.one<{ id: string; commit: string }>(sql`
    select id, commit_sha as commit from deploy where merge_id = ${merge.id}`);
  const deployer = deploys.worker();
  deployer.start();
  await deploys.until(id, 'success');
  await deployer.close();
  tasks.worker(async () => ({ text: 'Done' }));
  const target = { branch: 'main', stage: 'production' };
  const pull = { type: 'pull_request', number: 1, base: 'main', opened_by_user_id: owner.id };
  const check = { type: 'check', name: 'tests' };
  const merging = {
    type: 'merge',
    ...target,
    head_sha: head,
    forced: false,
    requested_by_user_id: owner.id,
  };
  const deploy = { type: 'deploy', ...target, commit_sha: commit };
  assert.deepEqual(await codeEvents(taskId), [
    { ...pull, state: 'open', head_sha: first },
    { type: 'checks', head_sha: first, state: 'pending' },
    { ...check, head_sha: first, state: 'in_progress' },
    { ...check, head_sha: first, state: 'completed', conclusion: 'failure' },
    { type: 'checks', head_sha: first, state: 'failed' },
    { type: 'fix_checks', head_sha: first, message_number: 1 },
    { ...pull, state: 'open', head_sha: head },
    { type: 'checks', head_sha: head, state: 'pending' },
    { ...check, head_sha: head, state: 'in_progress' },
    { ...check, head_sha: head, state: 'completed', conclusion: 'success' },
    { type: 'checks', head_sha: head, state: 'passed' },
    { ...merging, state: 'queued' },
    { ...merging, state: 'merged', merge_commit_sha: commit },
    { ...pull, state: 'merged', head_sha: head },
    { ...deploy, state: 'queued' },
    { ...deploy, state: 'running' },
    { ...deploy, state: 'success' },
  ]);
});

test('a merge that fails says why', async () => {
  const task = await built();
  await openPullRequest(task.taskId);
  await ask(task);
  deploys.gitIn(task.projectId, 'update-ref', '-d', `refs/heads/task/${task.taskId.slice(0, 8)}`);
  await work();
  tasks.worker(async () => ({ text: 'Done' }));
  const { failure, state } = (await codeEvents(task.taskId)).at(-1) ?? assert.fail();
  const { body: merge } = await request('GET', `/api/tasks/${task.taskId}/merge`, {
    key: owner.key,
  });
  assert.deepEqual([state, failure], ['failed', merge.failure]);
});

test('while a turn is at work, its worker publishes them between what the agent does', async () => {
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await built(undefined, project);
  await openPullRequest(task.taskId);
  const gone = Promise.withResolvers<void>();
  const turn = await tasks.queue(task.taskId, 'prompt');
  tasks.worker(async (_turn, { append }) => {
    await append({ type: 'notice', payload: { text: 'before' } });
    await task.write('b.txt', 'two\n');
    await task.commit();
    await begin(task.taskId);
    await gone.promise;
    await append({ type: 'notice', payload: { text: 'after' } });
    return { text: 'Done' };
  });
  await until('the new commit', async () => (await codeEvents(task.taskId)).length === 4);
  gone.resolve();
  await tasks.untilPublished(turn);
  const types = (await tasks.eventsOf(task.taskId)).map(({ type, text }) => text ?? type);
  assert.deepEqual(types, [
    'pull_request',
    'checks',
    'turn_started',
    'status',
    'before',
    'pull_request',
    'checks',
    'after',
    'turn_ended',
    'status',
  ]);
  assert.deepEqual(await tasks.turn(turn), { state: 'done', attempt: 1, losses: 0, error: null });
});

test('a task that is deleted leaves nothing to publish, and keeps no other from it', async () => {
  const [gone, other] = [await built(), await built()];
  for (const { taskId } of [gone, other]) await openPullRequest(taskId);
  await db.many(sql`delete from task where id = ${gone.taskId}`);
  tasks.worker(async () => ({ text: 'Done' }));
  assert.equal((await codeEvents(other.taskId)).length, 2);
  assert.deepEqual(await codeEvents(gone.taskId), []);
});
