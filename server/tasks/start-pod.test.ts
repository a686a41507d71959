import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { today, usageOn } from '../testing/fixtures/billing/usage.ts';
import { folderOfProcess } from '../testing/harness/folder-of-process.ts';
import { startHarness } from '../testing/harness/harness.ts';

/** Pods that have a price. For the rest see pod.test.ts. */

const file = join(await folderOfProcess('guildhall-catalog-'), 'catalog.json');
await writeFile(file, JSON.stringify({ pods: { price_per_hour: '36.00' } }));
const harness = await startHarness({ env: { GUILDHALL_CATALOG: file } });
const { db, fixtures, request, unchanged } = harness;
const { use } = usageOn(harness);

/** A task of a workspace, and the call that starts its pod. */
async function startable(balance?: string) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, balance === undefined ? {} : { balance });
  const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  const start = () => request('POST', `/api/tasks/${task}/pod/start`, { key: owner.key });
  const refused = async (code: string) => {
    const answer = await unchanged(start);
    assert.deepEqual([answer.status, answer.body.code], [402, code]);
  };
  return { owner, workspace, task, start, refused };
}

test('200: a pod that someone can pay', async () => {
  const { start } = await startable('5.00');
  const { status, body } = await start();
  assert.deepEqual([status, body.wanted], [200, 'running']);
});

test('402: the balance is used up, or the account is not active', async () => {
  await (await startable()).refused('insufficient_funds');
  const { workspace, refused } = await startable('5.00');
  await db.many(sql`
    update billing_account set status = 'frozen' where organization_id = ${workspace}`);
  await refused('account_not_active');
});

test('402: a limit of the month is spent to which the time of the pod counts', async () => {
  const { owner, workspace, task, start, refused } = await startable('5.00');
  const limit = (amount: string) =>
    request('PUT', `/api/organizations/${workspace}/billing/spend-limits`, {
      key: owner.key,
      body: { limits: [{ subject: 'member', subject_id: owner.id, amount }] },
    });
  await use(task, owner, { nano: 1_000_000_000, day: today() });
  assert.equal((await limit('1.00')).status, 200);
  await refused('spend_limit');
  assert.equal((await limit('1.01')).status, 200);
  assert.equal((await start()).status, 200);
});
