import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();
const path = '/api/organizations';

const create = (user: { key: string }, body: object, headers = {}) =>
  request('POST', path, { key: user.key, body, headers });

test('201: a workspace that the caller owns, at its Location, with the ETag and the text of a read', async () => {
  const me = await fixtures.user();
  const made = await create(me, { name: ' Acme ', color: '#33aa5f', icon: 'rocket' });
  assert.equal(made.status, 201);
  const { id, created_at, updated_at, available_actions, ...rest } = made.body;
  assert.deepEqual(rest, {
    name: 'Acme',
    color: '#33AA5F',
    icon: 'rocket',
    require_2fa: false,
    admins_manage_admins: true,
    role: 'owner',
    role_id: '00000000-0000-4000-8000-000000000001',
    role_name: 'Owner',
    role_color: '#7C3AED',
    is_owner: true,
    member_count: 1,
    project_count: 0,
  });
  assert.equal(created_at, updated_at);
  assert.ok(available_actions.includes('delete_workspace'));
  assert.equal(made.headers.get('location'), `${path}/${id}`);
  const read = await request('GET', `${path}/${id}`, { key: me.key });
  assert.deepEqual([read.status, read.body], [200, made.body]);
  assert.equal(read.headers.get('etag'), made.headers.get('etag'));
});

test('201: its owner is a member with the role admin, its balance is open, and the creation is recorded', async () => {
  const me = await fixtures.user();
  const { id } = (await create(me, { name: 'Acme' })).body;
  assert.deepEqual(
    await db.many(sql`
      select m.user_id, r.slug, r.scope from membership m join role r on r.id = m.role_id
       where m.organization_id = ${id}`),
    [{ user_id: me.id, slug: 'admin', scope: 'workspace' }],
  );
  const balance = await request('GET', `${path}/${id}/billing/balance`, { key: me.key });
  assert.deepEqual([balance.status, balance.body.balance], [200, '0.00']);
  assert.deepEqual(
    await db.many(sql`
      select action, organization_id, before, after->>'name' as name
        from audit_event where target_id = ${id}`),
    [{ action: 'workspace.create', organization_id: id, before: null, name: 'Acme' }],
  );
});

test('201: a name may be taken, because workspaces are told apart by their ids', async () => {
  const me = await fixtures.user();
  const [first, second] = [await create(me, { name: 'Acme' }), await create(me, { name: 'Acme' })];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.notEqual(first.body.id, second.body.id);
  for (const field of ['color', 'icon']) assert.ok(!(field in first.body), field);
});

test('201: two-factor authentication may be required by who has it, and holds for the next member', async () => {
  const me = await fixtures.user({ twoFactor: true });
  const made = await create(me, { name: 'Safe', require_2fa: true });
  assert.deepEqual([made.status, made.body.require_2fa], [201, true]);
  const careless = await fixtures.user();
  await fixtures.member(made.body.id, careless);
  const reply = await request('GET', `${path}/${made.body.id}`, { key: careless.key });
  assert.deepEqual([reply.status, reply.body.code], [403, 'two_factor_required']);
});

test('422: no one requires a second factor that they do not have', async () => {
  const me = await fixtures.user();
  const reply = await unchanged(() => create(me, { name: 'Locked', require_2fa: true }));
  assert.equal(reply.status, 422);
  const [{ type, loc, input }] = reply.body.detail;
  assert.deepEqual([type, loc, input], ['two_factor_required', ['body', 'require_2fa'], true]);
});
