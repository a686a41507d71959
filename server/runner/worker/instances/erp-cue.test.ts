import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { branchOf, gitDirOf } from '../../../code/repositories/git.ts';
import { sql } from '../../../db/sql.ts';
import { instancePassword } from '../../../erp/instances/password.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import { instancesAtWork, keepFor } from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances } from '../../../testing/fixtures/erp/instances.ts';
import { agentsAtWork } from '../../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { instanceTargets } from './instance-targets.ts';

/** From a message with the cue [[erp]] to a commit of what its agent read from its instance. */

const harness = await startHarness({ env: await fakeCatalog() });
const { db, request } = harness;
const at = instancesAtWork(harness);
const passwordOf = (id: string) => instancePassword('the secret of the server', id);

test('the sandbox agent reads from the instance of its task through the gateway, without its password', async (t) => {
  const driver = await makeInstances(t);
  const tasks = await agentsAtWork(harness, {
    erpTargets: instanceTargets(db, { driver, passwordOf }),
  });
  keepFor(t, db, driver);
  tasks.work();
  const task = await at.task();
  const { key } = task.owner;
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  await tasks.send(task, 'Write a.md [[erp]]');
  await tasks.untilStatus(task.id, 'awaiting_approval');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key });
  await tasks.untilStatus(task.id, 'ready');
  const show = ['show', `${branchOf(task.id)}:erp.md`];
  const read = execFileSync(
    'git',
    ['-C', gitDirOf(tasks.folders.repositories, task.project), ...show],
    { encoding: 'utf8' },
  );
  assert.match(read, /^- instance Throwaway instance: Odoo 18\.0[^,]*, the partner .+\n$/);
  const events = await tasks.eventsOf(task.id);
  const calls = events.filter(({ type }) => type === 'erp_call');
  assert.ok(calls.length > 0);
  for (const { target, kind, allowed, status } of calls)
    assert.deepEqual([target.id, kind, allowed, status], [id, 'instance', true, 200]);
  const rows = await db.many(sql`select * from task_message where task_id = ${task.id}`);
  assert.ok(!JSON.stringify([events, rows, read]).includes(passwordOf(id)));
});
