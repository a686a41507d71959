import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { deactivateUser } from '../../users/users.ts';

const harness = await startHarness();
const { db, fixtures, log, request, unchanged } = harness;

const opens = async (key: string, path = '/api/account', method = 'GET') =>
  (await request(method, path, { key, ...(method === 'PUT' && { body: {} }) })).status;

test('201: a key is shown once; the list, the log, the trail and the table do not have it', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const start = log.length;
  const made = await browser.request('POST', '/auth/keys', { body: { name: ' CI ' } });
  assert.equal(made.status, 201);
  const { id, key, name, read_only, organization_id, expires_at } = made.body;
  assert.match(key, /^gld_[0-9A-Za-z]{38}$/);
  assert.deepEqual(
    [name, read_only, organization_id, expires_at],
    ['CI', false, undefined, undefined],
  );
  assert.equal(await opens(key), 200);
  assert.equal(await opens(key, '/api/account', 'PUT'), 200);
  const list = await browser.request('GET', '/auth/keys');
  assert.deepEqual([list.body[0].id, list.body.length], [id, 2]);
  const [stored] = await db.many<{ text: string }>(sql`
    select k::text || a::text as text
      from api_key k join audit_event a on a.target_id = k.id::text
     where k.id = ${id} and a.action = 'key.create' and a.actor_user_id = ${user.id}
       and a.session_id is not null and a.after ->> 'name' = 'CI'`);
  for (const text of [list.text, stored?.text ?? key, log.slice(start).join('')])
    assert.ok(!text.includes(key.slice(4)));
});

test('201: a key may be for reading alone, in one workspace alone, and until a day', async () => {
  const user = await fixtures.user();
  const [mine, other] = [await fixtures.workspace(user), await fixtures.workspace(user)];
  const browser = await signedIn(harness, user);
  const make = async (body: object) =>
    (await browser.request('POST', '/auth/keys', { body: { name: 'key', ...body } })).body;
  const reading = await make({ read_only: true });
  assert.deepEqual(
    [await opens(reading.key), await opens(reading.key, '/api/account', 'PUT')],
    [200, 403],
  );
  const narrow = await make({ organization_id: mine });
  assert.equal(narrow.organization_id, mine);
  assert.equal(await opens(narrow.key, `/api/organizations/${mine}`), 200);
  assert.equal(await opens(narrow.key, `/api/organizations/${other}`), 403);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const late = await make({ expires_at: until });
  assert.deepEqual([late.expires_at, await opens(late.key)], [until, 200]);
  await db.many(sql`update api_key set expires_at = now() where id = ${late.id}`);
  assert.equal(await opens(late.key), 401);
});

test('422: an end in the past, and a workspace that is not the caller’s, which need not exist', async () => {
  const user = await fixtures.user();
  const foreign = await fixtures.workspace(await fixtures.user());
  const browser = await signedIn(harness, user);
  const refused = async (body: object) => {
    const reply = await unchanged(() =>
      browser.request('POST', '/auth/keys', { body: { name: 'key', ...body } }),
    );
    return [reply.status, reply.body.detail[0].type, reply.body.detail[0].loc[1]];
  };
  const past = { expires_at: new Date(Date.now() - 1000).toISOString() };
  assert.deepEqual(await refused(past), [422, 'expires_in_the_past', 'expires_at']);
  for (const organization_id of [foreign, '3fa85f64-5717-4562-b3fc-2c963f66afa6'])
    assert.deepEqual(await refused({ organization_id }), [
      422,
      'workspace_not_found',
      'organization_id',
    ]);
});

test('204: a revoked key opens nothing; 404 for one of another person, and the second time', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user, { provenMinutesAgo: 60 });
  const [{ id }] = (await browser.request('GET', '/auth/keys')).body;
  const stranger = await signedIn(harness, await fixtures.user());
  const refused = await unchanged(() => stranger.request('DELETE', `/auth/keys/${id}`));
  assert.deepEqual([refused.status, await opens(user.key)], [404, 200]);
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => browser.request('DELETE', `/auth/keys/${id}`)),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404, 404, 404]);
  assert.equal(await opens(user.key), 401);
  assert.deepEqual((await browser.request('GET', '/auth/keys')).body, []);
  const trail = await db.many(sql`
    select before ->> 'name' as name from audit_event
     where action = 'key.revoke' and target_id = ${id}`);
  assert.deepEqual(trail, [{ name: 'test' }]);
});

test('race: no more than 50 keys, also when they are made at once', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  await db.many(sql`
    insert into api_key (user_id, name, secret_hash)
    select ${user.id}, 'key ' || n, sha256((${user.id} || n)::bytea) from generate_series(1, 46) n`);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => browser.request('POST', '/auth/keys', { body: { name: 'x' } })),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 201, 201, 409, 409, 409, 409, 409]);
  assert.equal(replies.find(({ status }) => status === 409)?.body.code, 'too_many_keys');
});

test('race: a key that is made while its person is deactivated opens nothing', async () => {
  for (let round = 0; round < 10; round++) {
    const user = await fixtures.user();
    const browser = await signedIn(harness, user);
    const [made] = await Promise.all([
      browser.request('POST', '/auth/keys', { body: { name: 'late' } }),
      db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    ]);
    assert.ok([201, 401].includes(made.status), String(made.status));
    const left = await db.many(sql`
      select from api_key where user_id = ${user.id} and revoked_at is null`);
    assert.equal(left.length, 0);
  }
});
