import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeWorkspaceAccount } from '../billing/index.ts';
import { sql } from '../db/sql.ts';
import { dissolve } from '../organizations/index.ts';
import { duringOn } from '../testing/harness/during.ts';
import { startHarness } from '../testing/harness/harness.ts';

/** What is deleted between the check of a change and its write is answered as not there. */

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const during = duringOn(harness);

const OF_PROJECT: [string, string, object?][] = [
  ['PUT', 'mute'],
  ['POST', 'routines', { name: 'Nightly', message: 'Update it.', starts_by: 'call' }],
  ['PUT', 'variables/NAME', { value: 'x', secret: false, purposes: ['checks'] }],
  ['PUT', 'environment', { setup: 'npm ci' }],
  ['PUT', 'network', { agent: ['registry.example.com'] }],
];

for (const [method, path, body] of OF_PROJECT)
  test(`404: ${method} ${path} while its project is deleted`, async () => {
    const owner = await fixtures.user();
    const project = await fixtures.project({ userId: owner.id });
    const [reply] = await during(
      (tx) => tx.many(sql`delete from project where id = ${project}`),
      () =>
        request(method, `/api/projects/${project}/${path}`, {
          key: owner.key,
          ...(body && { body }),
        }),
    );
    assert.deepEqual([reply?.status, reply?.body.code], [404, 'not_found'], reply?.text ?? '');
  });

const OF_WORKSPACE: [string, string, object][] = [
  ['POST', 'teams', { name: 'Core' }],
  ['POST', 'roles', { name: 'Captain', scope: 'workspace', acts_as: 'member', color: '#112233' }],
  ['POST', 'service-accounts', { name: 'Bot', role: 'member' }],
  ['POST', 'invitations', { email: 'eve@example.com', role: 'member' }],
];

for (const [method, path, body] of OF_WORKSPACE)
  test(`${method} ${path} while its workspace is deleted: as if it was deleted before`, async () => {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner);
    const send = () =>
      request(method, `/api/organizations/${workspace}/${path}`, { key: owner.key, body });
    const [reply] = await during(async (tx) => {
      await closeWorkspaceAccount(tx, workspace, owner.id);
      await dissolve(tx, workspace, owner.id);
    }, send);
    const later = await send();
    assert.deepEqual([reply?.status, reply?.body], [later.status, later.body], reply?.text ?? '');
    assert.ok([403, 404].includes(later.status));
    const left = await db.many(sql`select from team where organization_id = ${workspace}`);
    assert.equal(left.length, 0);
  });

test('a repetition with the same key gets the same answer', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  const headers = { 'idempotency-key': 'mute' };
  const send = () => request('PUT', `/api/projects/${project}/mute`, { key: owner.key, headers });
  const [reply] = await during(
    (tx) => tx.many(sql`delete from project where id = ${project}`),
    send,
  );
  assert.equal(reply?.status, 404);
  assert.equal((await send()).status, 404);
});
