import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { hashKey } from '../identity/keys/key.ts';
import { watchStatements } from '../testing/database/statements.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { stillAllowed } from './still-allowed.ts';

const { db, fixtures, owner: asOwner } = await startHarness();
const access = onTask('open_project');
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);

const byKey = (key: string, objectId = task) => ({
  credential: { kind: 'key' as const, hash: hashKey(key) as Buffer },
  access,
  objectId,
});
const may = (...permits: Parameters<typeof stillAllowed>[1]) => stillAllowed(db, permits);

async function member() {
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'viewer');
  return user;
}

test('who could open a stream may keep it: many callers and tasks are checked one by one', async () => {
  const [viewer, stranger] = [await member(), await fixtures.user()];
  const otherWorkspace = await fixtures.workspace(stranger);
  const project = await fixtures.project({ organizationId: otherWorkspace });
  const otherTask = await fixtures.task(project, stranger);
  const sent: string[] = [];
  watchStatements(({ text }) => sent.push(text));
  assert.deepEqual(
    await may(
      byKey(owner.key),
      byKey(stranger.key),
      byKey(viewer.key),
      byKey(stranger.key, otherTask),
      byKey(owner.key, otherTask),
      byKey(owner.key),
    ),
    [true, false, true, true, false, true],
  );
  assert.equal(sent.length, 1);
});

const ENDED: Record<string, (user: { id: string }) => Promise<unknown>> = {
  'a revoked key': ({ id }) =>
    db.many(sql`update api_key set revoked_at = now() where user_id = ${id}`),
  'an expired key': ({ id }) =>
    db.many(sql`update api_key set expires_at = now() where user_id = ${id}`),
  'a deactivated user': ({ id }) =>
    db.many(sql`update app_user set is_active = false where id = ${id}`),
  'a former member': ({ id }) => asOwner(sql`delete from membership where user_id = ${id}`),
  'a key of another workspace': async ({ id }) =>
    asOwner(
      sql`update api_key set organization_id = ${await fixtures.workspace(owner)}
            where user_id = ${id}`,
    ),
};

for (const [who, end] of Object.entries(ENDED))
  test(`${who} may read no more`, async () => {
    const user = await member();
    assert.deepEqual(await may(byKey(user.key)), [true]);
    await end(user);
    assert.deepEqual(await may(byKey(user.key), byKey(owner.key)), [false, true]);
  });

test('a session counts until it ends, and two-factor authentication where it is required', async () => {
  const user = await member();
  const token = 'x'.repeat(43);
  await asOwner(sql`
    insert into session (user_id, token_hash, pending, expires_at)
    values (${user.id}, ${hash('sha256', token, 'buffer')}, false, now() + interval '1 day')`);
  const credential = { kind: 'session' as const, hash: hash('sha256', token, 'buffer') };
  const permit = { credential, access, objectId: task };
  assert.deepEqual(await may(permit, byKey(user.key)), [true, true]);
  await asOwner(sql`update session set ended_at = now() where user_id = ${user.id}`);
  assert.deepEqual(await may(permit, byKey(user.key)), [false, true]);
  await asOwner(sql`update organization set require_2fa = true where id = ${workspace}`);
  assert.deepEqual(await may(byKey(user.key)), [false]);
});

test('a task that is gone, and an access without a rule for many', async () => {
  assert.deepEqual(await may(byKey(owner.key, '00000000-0000-4000-8000-000000000000')), [false]);
  await assert.rejects(may({ ...byKey(owner.key), access: {} }), /needs an access of many/);
});
