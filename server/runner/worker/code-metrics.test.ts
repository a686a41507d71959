import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../../db/sql.ts';
import { deploysOn } from '../../testing/fixtures/code/deploys.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { until } from '../../testing/harness/until.ts';
import { carryOutMerges } from './carry-out-merges.ts';
import { checkWorker } from './checks/check-worker.ts';
import { measureCode, measureCodeWork } from './code-metrics.ts';
import { deployer } from './deploys/deployer.ts';

const harness = await startHarness({ own: true });
const { db, metrics, repositories: directory } = harness;
const deploys = await deploysOn(harness);
const { ask, built, merging, openPullRequest, pods } = deploys;
const observer = measureCodeWork(metrics);
measureCode(metrics, db);
const log = pino({ level: 'silent' });

const value = async (name: string, labels = '') =>
  (await seriesOf(metrics, `guildhall_code_work${name}`))[labels] as number;
const open = (kind: string, state = 'queued') => value('', `{kind="${kind}",state="${state}"}`);
const due = (kind: string) => value('_oldest_due_seconds', `{kind="${kind}"}`);
const ended = (kind: string, result: string) =>
  value('_ended_total', `{kind="${kind}",result="${result}"}`);
const durations = (kind: string) => value('_duration_seconds_count', `{kind="${kind}"}`);

test('checks, merges and deploys count while they wait, with their age, and by result when they end', async (t) => {
  const zero = await Promise.all(['checks', 'merge', 'deploy', 'event'].map((kind) => open(kind)));
  assert.deepEqual(zero, [0, 0, 0, 0]);
  const task = await built({
    '.guildhall.yml': JSON.stringify({
      checks: [{ name: 'tests', run: 'true' }],
      deploy: { production: 'exit 1' },
    }),
  });
  await openPullRequest(task.taskId);
  assert.deepEqual([await open('checks'), await open('event')], [1, 2]);
  await db.many(sql`update check_suite set created_at = now() - interval '1 hour'`);
  const age = await due('checks');
  assert.ok(age >= 3_600 && age < 7_200, `${age}`);
  const place = { driver: pods, directory, log, observer };
  const checks = checkWorker(db, { ...place, times: { poll: 25 } });
  t.after(() => checks.close());
  checks.start();
  await until('its checks', async () => (await ended('checks', 'passed')) === 1, 60_000);
  assert.deepEqual([await open('checks'), await due('checks')], [0, 0]);
  assert.equal(await durations('checks'), 1);

  await ask(task);
  assert.equal(await open('merge'), 1);
  await carryOutMerges(db, { merging, log, observer });
  assert.deepEqual([await open('merge'), await ended('merge', 'merged')], [0, 1]);

  assert.deepEqual([await open('deploy'), await open('deploy', 'running')], [1, 0]);
  const deploysHere = deployer(db, { ...place, times: { poll: 50, drain: 0 } });
  t.after(() => deploysHere.close());
  deploysHere.start();
  await until('its deploy', async () => (await ended('deploy', 'failed')) === 1, 60_000);
  assert.deepEqual([await open('deploy'), await due('deploy')], [0, 0]);
  assert.deepEqual([await durations('merge'), await durations('deploy')], [1, 1]);
});

test('a merge that is refused has failed', async () => {
  const task = await deploys.offered();
  await ask(task);
  deploys.gitIn(task.projectId, 'update-ref', '-d', `refs/heads/task/${task.taskId.slice(0, 8)}`);
  await carryOutMerges(db, { merging, log, observer });
  assert.equal(await ended('merge', 'failed'), 1);
});
