import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { makeTenant, requestSample, successOf } from '../testing/contract/tenant.ts';
import { startGithub } from '../testing/fixtures/code/github.ts';
import { startHarness } from '../testing/harness/harness.ts';

// Ruling 1.11: whoever may not do it any more gets 403, not the stored answer.

const harness = await startHarness({ github: await startGithub() });
const { db, fixtures, request, routes, unchanged } = harness;
const headers = { 'idempotency-key': 'again' };

const inWorkspace = routes.filter(
  ({ method, path }) => method !== 'GET' && /\{(org|task)_id\}/.test(path),
);

test('403: a removed member, who repeats a request with its key, does not see the stored answer', async () => {
  for (const route of inWorkspace.filter(({ operationId }) => !EXCEPTIONS.includes(operationId))) {
    const tenant = await makeTenant(harness, 'admin', { only: [route] });
    const first = await requestSample(harness, route, tenant, { headers });
    assert.equal(first.status, successOf(route), `${route.operationId}: ${first.text}`);
    await fixtures.removeMember(tenant.ids.org_id as string, tenant.caller.id);
    const again = await unchanged(() => requestSample(harness, route, tenant, { headers }));
    assert.equal(again.headers.get('idempotent-replayed'), null, route.operationId);
    assert.deepEqual([again.status, again.body.code], [403, 'forbidden'], route.operationId);
  }
});

// An admin may not do the first two; the last one itself ends the membership, and has a test of its
// own.
const EXCEPTIONS = ['delete_workspace', 'transfer_ownership', 'leave_workspace'];

test('403: a member who became a viewer, and one without the second factor that is required now', async () => {
  const tenant = await makeTenant(harness, 'member');
  const path = `/api/tasks/${tenant.ids.task_id}/plan/approve`;
  const send = () => request('POST', path, { key: tenant.caller.key, headers });
  const first = await send();
  assert.equal((await send()).text, first.text);
  const role = async (slug: string) =>
    db.many(sql`
      update membership set role_id = (
        select id from role where organization_id is null and scope = 'workspace'
          and slug = ${slug})
       where user_id = ${tenant.caller.id}`);
  await role('viewer');
  assert.deepEqual((await unchanged(send)).body.code, 'forbidden');
  await role('member');
  await db.many(
    sql`update organization set require_2fa = true where id = ${tenant.ids.org_id as string}`,
  );
  assert.deepEqual((await unchanged(send)).body.code, 'two_factor_required');
  await db.many(
    sql`update organization set require_2fa = false where id = ${tenant.ids.org_id as string}`,
  );
  const replay = await send();
  assert.deepEqual([replay.text, replay.headers.get('idempotent-replayed')], [first.text, 'true']);
});

test('200: the answer that a transfer ended the right to is still shown to the admin it left; not to a stranger', async () => {
  const tenant = await makeTenant(harness);
  const path = `/api/organizations/${tenant.ids.org_id}/transfer-ownership`;
  const body = { new_owner_user_id: tenant.successor.id };
  const send = () => request('POST', path, { key: tenant.caller.key, body, headers });
  const first = await send();
  const replay = await send();
  assert.deepEqual([replay.status, replay.text], [200, first.text]);
  await fixtures.removeMember(tenant.ids.org_id as string, tenant.caller.id);
  const later = await unchanged(send);
  assert.deepEqual([later.status, later.body.code], [403, 'forbidden']);
});

test('404: of a workspace that is gone no stored answer is shown, but the receipt of its deletion', async () => {
  const tenant = await makeTenant(harness, 'admin');
  const path = `/api/organizations/${tenant.ids.org_id}`;
  const send = () =>
    request('POST', `${path}/teams`, { key: tenant.caller.key, body: { name: 'A' }, headers });
  assert.equal((await send()).status, 201);
  const gone = () => request('DELETE', path, { key: tenant.owner.key, headers });
  const receipt = await gone();
  assert.equal(receipt.status, 200);
  assert.deepEqual((await unchanged(send)).status, 404);
  assert.equal((await gone()).text, receipt.text);
});

test('204: the receipt of a deletion is shown again to its caller', async () => {
  const tenant = await makeTenant(harness);
  const path = `/api/organizations/${tenant.ids.org_id}/teams/${tenant.ids.team_id}`;
  const send = () => request('DELETE', path, { key: tenant.caller.key, headers });
  assert.equal((await send()).status, 204);
  const replay = await send();
  assert.deepEqual(
    [replay.status, replay.text, replay.headers.get('idempotent-replayed')],
    [204, '', 'true'],
  );
  assert.equal((await request('DELETE', path, { key: tenant.caller.key })).status, 404);
});
