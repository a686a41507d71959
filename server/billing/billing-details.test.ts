import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// The same operations for a person and for a workspace.

const { db, fixtures, request, unchanged } = await startHarness();
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const ofWorkspace = `/api/organizations/${workspace}/billing/details`;

const DETAILS = {
  name: 'Müller & Söhne GmbH',
  address: ['Hauptstraße 1', '10115 Berlin'],
  country: 'DE',
  tax_id: 'DE123456789',
  email: 'billing@mueller.example',
  mail_receipts: true,
};

for (const [whose, path] of [
  ['own', '/api/billing/details'],
  ["a workspace's", ofWorkspace],
] as const) {
  test(`200: ${whose} billing details are empty at first, then as they were set`, async () => {
    const first = await request('GET', path, owner);
    const { created_at, updated_at, ...rest } = first.body;
    assert.deepEqual([first.status, rest], [200, { mail_receipts: false }]);
    const put = await request('PUT', path, { key: owner.key, body: DETAILS });
    assert.deepEqual([put.status, put.body.created_at], [200, created_at]);
    assert.ok(put.body.updated_at > updated_at);
    const { body, headers } = await request('GET', path, owner);
    assert.deepEqual(body, { ...DETAILS, created_at, updated_at: put.body.updated_at });
    assert.equal(headers.get('etag'), put.headers.get('etag'));
    assert.notEqual(headers.get('etag'), first.headers.get('etag'));
  });

  test(`200: of ${whose} details an omitted field stays, null removes one, and {} writes nothing`, async () => {
    await request('PUT', path, { key: owner.key, body: DETAILS });
    await unchanged(() => request('PUT', path, { key: owner.key, body: {} }));
    await unchanged(() => request('PUT', path, { key: owner.key, body: DETAILS }));
    const { body } = await request('PUT', path, {
      key: owner.key,
      body: { address: null, tax_id: null, name: 'M' },
    });
    assert.deepEqual(
      [body.name, body.country, 'address' in body, 'tax_id' in body],
      ['M', 'DE', false, false],
    );
  });

  test(`412: ${whose} details that another request has changed; one of two at once wins`, async () => {
    const { headers } = await request('GET', path, owner);
    const change = (name: string) =>
      request('PUT', path, {
        key: owner.key,
        body: { name },
        headers: { 'if-match': headers.get('etag') as string },
      });
    const both = await Promise.all([change('One'), change('Two')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    const late = await unchanged(() => change('Three'));
    assert.deepEqual([late.status, late.body.code], [412, 'billing_details_changed']);
  });

  test(`422: ${whose} details with a country, an address or an e-mail that cannot be one`, async () => {
    for (const [body, loc] of [
      [{ country: 'XX' }, ['body', 'country']],
      [{ country: 'de' }, ['body', 'country']],
      [{ address: [] }, ['body', 'address']],
      [{ address: Array(7).fill('x') }, ['body', 'address']],
      [{ address: ['x'.repeat(101)] }, ['body', 'address', 0]],
      [{ email: 'nowhere' }, ['body', 'email']],
      [{ name: '\u202e' }, ['body', 'name']],
      [{ mail_receipts: null }, ['body', 'mail_receipts']],
    ] as const) {
      const reply = await unchanged(() => request('PUT', path, { key: owner.key, body }));
      assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc]);
    }
  });
}

test('a change is in the audit trail of the workspace, with what it changed', async () => {
  await request('PUT', ofWorkspace, { key: owner.key, body: { ...DETAILS, name: 'Before' } });
  await request('PUT', ofWorkspace, { key: owner.key, body: { name: 'After' } });
  const [event] = await db.many<{ action: string; before: string; after: string }>(sql`
    select action, before ->> 'name' as before, after ->> 'name' as after from audit_event
     where organization_id = ${workspace} order by occurred_at desc limit 1`);
  assert.deepEqual(event, { action: 'billing_details.update', before: 'Before', after: 'After' });
});

test('200 for an admin; 403 for members, viewers and strangers, and nothing changes', async () => {
  const [admin, member, viewer, stranger] = (await Promise.all(
    Array.from({ length: 4 }, () => fixtures.user()),
  )) as [User, User, User, User];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, viewer, 'viewer');
  const statuses = async (user: User) => [
    (await request('GET', ofWorkspace, user)).status,
    (await request('PUT', ofWorkspace, { key: user.key, body: { name: 'X' } })).status,
  ];
  assert.deepEqual(await statuses(admin), [200, 200]);
  for (const user of [member, viewer, stranger])
    assert.deepEqual(await unchanged(() => statuses(user)), [403, 403]);
});
