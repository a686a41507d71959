import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instancePassword } from '../../../erp/instances/password.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import { instancesAtWork, keepFor } from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances } from '../../../testing/fixtures/erp/instances.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { instanceTargets } from './instance-targets.ts';

/** The ERP instance of a task, as the agent of its turns reaches it. */

const harness = await startHarness({ env: await fakeCatalog() });
const { db } = harness;
const at = instancesAtWork(harness);
const passwordOf = (id: string) => instancePassword('the secret of the server', id);

test('while it runs, it is a target of its task alone; a plan only reads it', async (t) => {
  const driver = await makeInstances(t);
  const targetsOf = instanceTargets(db, { driver, passwordOf });
  const [task, other] = [await at.task(), await at.task()];
  const building = { taskId: task.id, mode: 'build' } as const;
  const id = await at.ask(task);
  assert.deepEqual(await targetsOf(building), [], 'it is not ready');
  keepFor(t, db, driver);
  await at.untilIs(task, 'running');
  const [target, ...more] = await targetsOf(building);
  assert.deepEqual(more, []);
  const { url, secret, send, current, run: _, ...shown } = target ?? assert.fail('none');
  assert.deepEqual(shown, {
    id,
    name: 'Throwaway instance',
    kind: 'instance',
    login: 'admin',
    erpVersion: '18.0',
    edition: 'community',
    database: `guildhall_${id.replaceAll('-', '')}`,
    credential: 'password',
    access: 'write',
  });
  assert.deepEqual([url, secret], [await driver.url(id), passwordOf(id)]);
  assert.equal((await targetsOf({ ...building, mode: 'plan' }))[0]?.access, 'read');
  assert.deepEqual(await targetsOf({ ...building, taskId: other.id }), []);
  const answer = await send({ url: `${url}/web/health`, method: 'GET' });
  assert.deepEqual([answer.status, answer.redirected], [200, false]);
  await assert.rejects(send({ url: `${url}/web/health`, method: 'GET', maxBytes: 1 }), /too long/);
  assert.equal((await current?.())?.id, id);
  await at.call('DELETE', task);
  assert.equal(await current?.(), undefined, 'also while it is being removed');
  await at.untilIs(task, 'none');
});
