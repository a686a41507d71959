import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, owner: asOwner } = await startHarness();

const list = (by: User, query = '') => request('GET', `/api/projects${query}`, { key: by.key });
const names = async (by: User, query = '') =>
  (await list(by, query)).body.map(({ name }: { name: string }) => name);

async function named(
  name: string,
  owner: { organizationId?: string; userId?: string },
  archived = false,
) {
  const id = await fixtures.project(owner);
  await db.many(sql`
    update project set name = ${name}, archived_at = ${archived ? new Date() : null}
     where id = ${id}`);
  return id;
}

/** A person with projects of every kind, each named after what it is. */
async function person() {
  const [ada, other] = [await fixtures.user(), await fixtures.user()];
  const own = await fixtures.workspace(ada);
  const joined = await fixtures.workspace(other);
  await fixtures.member(joined, ada, 'viewer');
  const foreign = await fixtures.workspace(other);
  const shop = await named('own shop', { organizationId: own });
  const site = await named('joined site', { organizationId: joined });
  await named('personal notes', { userId: ada.id });
  const guest = await named('guest of foreign', { organizationId: foreign });
  const friend = await named('guest of a person', { userId: other.id });
  const released = await named('guest of no owner', {});
  for (const id of [guest, friend, released, site]) await fixtures.grant(id, ada, 'member');
  await named('foreign secret', { organizationId: foreign });
  await named('personal of other', { userId: other.id });
  await named('released secret', {});
  return { ada, other, own, joined, foreign, shop, site, guest };
}

test('200: every project that the caller can open, once, by name, with the role on each', async () => {
  const { ada } = await person();
  const { body } = await list(ada);
  assert.deepEqual(
    body.map((each: { name: string; role_name: string }) => [each.name, each.role_name]),
    [
      ['guest of a person', 'Project member'],
      ['guest of foreign', 'Project member'],
      ['guest of no owner', 'Project member'],
      ['joined site', 'Project member'],
      ['own shop', 'Owner'],
      ['personal notes', 'Project admin'],
    ],
  );
  for (const each of body) {
    const got = await request('GET', `/api/projects/${each.id}`, { key: ada.key });
    assert.deepEqual(each, got.body);
  }
});

test('200: a person without projects gets an empty list', async () => {
  assert.deepEqual((await list(await fixtures.user())).body, []);
});

test('200: filters by workspace, owner, archive and a part of the name, and all of them together', async () => {
  const { ada, own, joined, foreign } = await person();
  await named('own archive', { organizationId: own }, true);
  await named('personal archive', { userId: ada.id }, true);
  assert.deepEqual(await names(ada, `?organization_id=${own}`), ['own shop']);
  assert.deepEqual(await names(ada, `?organization_id=${joined}`), ['joined site']);
  assert.deepEqual(await names(ada, `?organization_id=${foreign}`), ['guest of foreign']);
  assert.deepEqual(await names(ada, `?organization_id=${randomUUID()}`), []);
  assert.deepEqual(await names(ada, '?owner=me'), ['personal notes']);
  assert.deepEqual(await names(ada, `?owner=me&organization_id=${own}`), []);
  assert.deepEqual(await names(ada, '?archived=true'), ['own archive', 'personal archive']);
  assert.deepEqual(await names(ada, '?archived=true&owner=me'), ['personal archive']);
  assert.deepEqual(await names(ada, '?q=S'), [
    'guest of a person',
    'guest of foreign',
    'guest of no owner',
    'joined site',
    'own shop',
    'personal notes',
  ]);
  assert.deepEqual(await names(ada, '?q=SHOP'), ['own shop']);
  assert.deepEqual(await names(ada, `?q=archive&archived=true&organization_id=${own}`), [
    'own archive',
  ]);
});

test('200: q takes percent signs, underscores and backslashes as they are', async () => {
  const user = await fixtures.user();
  for (const name of ['100% sure', 'a_b', String.raw`c\d`, 'plain'])
    await named(name, { userId: user.id });
  assert.deepEqual(await names(user, '?q=%25'), ['100% sure']);
  assert.deepEqual(await names(user, '?q=_'), ['a_b']);
  assert.deepEqual(await names(user, '?q=%5C'), [String.raw`c\d`]);
});

test('200: pages by limit and cursor are the whole list, in its order, with every filter', async () => {
  const { ada, own, joined } = await person();
  const other = await fixtures.workspace(ada);
  for (const [i, workspace] of [own, joined, other, own, joined, other, own].entries())
    await named(`own ${i % 3}`, { organizationId: workspace }, i === 0);
  for (const query of ['', '&q=own', `&organization_id=${own}`, '&owner=me', '&archived=true']) {
    const whole = (await list(ada, `?${query.slice(1)}`)).body;
    for (const limit of [1, 2, 5, 200]) {
      const paged = [];
      let next: string | undefined = `/api/projects?limit=${limit}${query}`;
      while (next !== undefined) {
        const reply = await request('GET', next, { key: ada.key });
        assert.ok(reply.body.length <= limit);
        paged.push(...reply.body);
        next = /<(.+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(paged, whole, `${limit} ${query}`);
    }
  }
});

test('200: a workspace whose two-factor policy the caller does not meet contributes none, not even by a role there', async () => {
  const { ada, joined, site } = await person();
  await db.many(sql`update organization set require_2fa = true where id = ${joined}`);
  assert.ok(!(await names(ada)).includes('joined site'));
  assert.deepEqual(await names(ada, `?organization_id=${joined}`), []);
  assert.deepEqual(await names(ada, '?q=joined&limit=5'), []);
  const { status } = await request('GET', `/api/projects/${site}`, { key: ada.key });
  assert.equal(status, 403);
  await db.many(sql`update app_user set two_factor = true where id = ${ada.id}`);
  assert.ok((await names(ada)).includes('joined site'));
});

test('200: a key of one workspace lists the projects of that one; a read-only key has no actions that write', async () => {
  const { ada, joined, foreign } = await person();
  const scope = (workspace: string) =>
    asOwner(sql`update api_key set organization_id = ${workspace} where user_id = ${ada.id}`);
  await scope(joined);
  assert.deepEqual(await names(ada), ['joined site']);
  assert.deepEqual(await names(ada, '?limit=3'), ['joined site']);
  assert.deepEqual(await names(ada, '?owner=me'), []);
  await scope(foreign);
  assert.deepEqual(await names(ada), ['guest of foreign']);
  await asOwner(sql`
    update api_key set organization_id = null, read_only = true where user_id = ${ada.id}`);
  for (const { available_actions } of (await list(ada)).body)
    assert.ok(!available_actions.includes('update_project'));
});

test('200: who leaves a workspace keeps none of its projects in the list', async () => {
  const { ada, joined } = await person();
  await fixtures.removeMember(joined, ada.id);
  assert.ok(!(await names(ada)).includes('joined site'));
});
