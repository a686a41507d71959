import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { type PodDriver, PodError } from '../../../platform/pods/pod.ts';
import { deploying, deploysOn } from '../../../testing/fixtures/code/deploys.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { networkOf } from '../../network/network.ts';

/** What comes of one deploy. */

const harness = await startHarness({ own: true });
const { db } = harness;
const at = await deploysOn(harness);
const { pods } = at;

/** Merges a task with these files, and carries out its deploy. */
async function deployed(files: Record<string, string>, by: PodDriver = pods) {
  const { deploy } = await at.merged(files);
  const worker = at.worker({}, by);
  worker.start();
  await at.until(deploy, 'success', 'failed');
  await worker.close();
  const { attempts } = await db.one<{ attempts: number }>(sql`
    select attempts from deploy where id = ${deploy}`);
  return { ...(await at.get(deploy)), log: await at.logOf(deploy), attempts };
}

test('the command of the stage runs with the files of the merged commit', async () => {
  const command = 'cat a.txt; echo $CI $GUILDHALL_STAGE $GUILDHALL_BRANCH; env | grep SHA; ls -A';
  const end = await deployed({ 'a.txt': 'one\n', ...deploying(command) });
  assert.deepEqual(
    [end.state, end.command_run, end.reason, end.attempts],
    ['success', true, undefined, 1],
  );
  assert.equal(
    end.log,
    `one\ntrue production main\nGUILDHALL_COMMIT_SHA=${end.commit_sha}\n` +
      '.guildhall.yml\na.txt\nIt ended with code 0.\n',
  );
  assert.deepEqual(await pods.list(), []);
});

test('it knows its id, so that a deploy that is begun again can find what it has done', async () => {
  const { id, log } = await deployed(deploying('echo $GUILDHALL_DEPLOY_ID'));
  assert.equal(log, `${id}\nIt ended with code 0.\n`);
});

test('without a file, or a command for its stage, it succeeds and says that nothing was run', async () => {
  const staging = { '.guildhall.yml': 'deploy:\n  staging: "false"\n' };
  for (const files of [{ 'a.txt': '1\n' }, staging]) {
    const { state, command_run, reason, log } = await deployed(files);
    assert.deepEqual(
      [state, command_run, reason, log],
      ['success', false, '.guildhall.yml has no command for production: nothing was run.', ''],
    );
  }
});

test('a command that fails is a deploy that failed, with its last line as the reason', async () => {
  const { state, reason, log, attempts } = await deployed(deploying('echo oops; exit 3'));
  assert.deepEqual([state, reason], ['failed', 'It ended with code 3.']);
  assert.deepEqual([log, attempts], ['oops\nIt ended with code 3.\n', 1], 'it is not tried again');
});

test('a host that it does not reach is a notice of the task, while there is one', async () => {
  const none = { setup: [], agent: [], checks: [], deploy: [] };
  const openNetwork = networkOf(db, { hosts: none, fixed: [], privateNetworks: [] });
  const { taskId, deploy } = await at.merged(deploying('curl -sS http://evil.example/'));
  const gone = await at.merged(deploying('curl -sS http://evil.example/'));
  const removed = `/api/tasks/${gone.taskId}`;
  assert.equal((await harness.request('DELETE', removed, { key: at.owner.key })).status, 200);
  const worker = at.worker({}, pods, { openNetwork });
  worker.start();
  for (const id of [deploy, gone.deploy]) await at.until(id, 'success', 'failed');
  await worker.close();
  const notices = await db.many(sql`
    select task_id, payload #>> '{network,purpose}' as purpose,
           payload #>> '{network,host}' as host
      from task_event_outbox where type = 'notice'`);
  assert.deepEqual(notices, [{ task_id: taskId, purpose: 'deploy', host: 'evil.example' }]);
  for (const id of [deploy, gone.deploy])
    assert.match(await at.logOf(id), /\[network\] evil\.example:80 was refused: /);
});

test('a file that cannot be read fails the deploy with what is wrong', async () => {
  const { state, reason, log } = await deployed({ '.guildhall.yml': 'deploys:\n  x: y\n' });
  assert.deepEqual([state, log], ['failed', '']);
  assert.match(reason ?? '', /deploys/);
});

test('a pod that cannot be made is tried again, at most three times', async () => {
  let failures = 0;
  const failing = (times: number): PodDriver => ({
    ...pods,
    create: (id) =>
      failures++ < times
        ? Promise.reject(new PodError('unavailable', 'no answer'))
        : pods.create(id),
  });
  const twice = await deployed(deploying('echo done'), failing(2));
  assert.deepEqual([twice.state, twice.attempts], ['success', 3]);
  failures = 0;
  const always = await deployed(deploying('echo done'), failing(99));
  assert.deepEqual([always.state, always.attempts, failures], ['failed', 3, 3]);
  assert.match(always.reason ?? '', /^It could not be carried out, 3 times/);
});

test('keys are not in the log, and of a long one the end is kept', async () => {
  const { log } = await deployed(
    deploying(
      'yes some words | head -c 2000000; echo; echo token=ghp_0123456789abcdefghijABCDEFGHIJ012345; echo end',
    ),
  );
  assert.match(log, /^\[What was written before was left out\.\]\nsome words\n/);
  assert.match(log, /\ntoken=ghp_\*\*\*\nend\nIt ended with code 0\.\n$/);
  assert.ok(Buffer.byteLength(log) <= 270_000);
});

test('a project that is deleted ends its deploy, and its pod goes', async () => {
  const task = await at.merged(deploying('sleep 300'));
  const worker = at.worker({ lease: 1_500 });
  worker.start();
  const podOf = async () => (await pods.list()).length;
  await until('its pod is there', async () => (await podOf()) === 1);
  await db.many(sql`delete from project where id = ${task.projectId}`);
  await until('its pod is gone', async () => (await podOf()) === 0);
  await worker.close();
});
