import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { hashKey, mintKey } from './key.ts';
import { listKeys, revokeKey } from './keys.ts';
import { lastUsed, usesOfKeys } from './last-used.ts';

const { fixtures, request, db } = await startHarness();

test('a key is gld_ and 38 characters of base62; no two are alike', () => {
  const keys = new Set(Array.from({ length: 1000 }, mintKey));
  assert.equal(keys.size, 1000);
  for (const key of keys) assert.match(key, /^gld_[0-9A-Za-z]{38}$/);
});

test('a key with one character changed, dropped or added is refused before any query', () => {
  const key = mintKey();
  assert.equal(hashKey(key)?.length, 32);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 41 }),
      fc.constantFrom(...'09azAZ_-é'),
      (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        if (changed !== key) assert.equal(hashKey(changed), undefined);
        assert.equal(hashKey(key.slice(0, at) + key.slice(at + 1)), undefined);
        assert.equal(hashKey(key.slice(0, at) + character + key.slice(at)), undefined);
      },
    ),
  );
  fc.assert(fc.property(fc.string(), (text) => hashKey(text) === undefined));
});

test('only the hash of a key is stored, and lists never show it', async () => {
  const user = await fixtures.user();
  const [row] = await db.many<{ text: string; secret_hash: Buffer }>(
    sql`select k::text as text, secret_hash from api_key k where user_id = ${user.id}`,
  );
  assert.deepEqual(row?.secret_hash, hashKey(user.key));
  assert.ok(!row?.text.includes(user.key.slice(4)));
  assert.ok(!JSON.stringify(await listKeys(db)).includes(user.key.slice(4)));
});

test('a revoked key, a removed member and a deactivated user lose access with the next call', async () => {
  const owner = await fixtures.user();
  const member = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'admin');
  const path = `/api/organizations/${workspace}/invitations`;
  const status = async () => (await request('GET', path, { key: member.key })).status;
  assert.equal(await status(), 200);
  await fixtures.removeMember(workspace, member.id);
  assert.equal(await status(), 403);
  await db.many(sql`update app_user set is_active = false where id = ${member.id}`);
  assert.equal(await status(), 401);
  const [key] = await listKeys(db, owner.email.toUpperCase());
  assert.equal(await revokeKey(db, key?.id as string), true);
  assert.equal(await revokeKey(db, key?.id as string), false);
  assert.equal((await request('GET', path, { key: owner.key })).status, 401);
});

test('uses are written in batches off the request path, kept when a write fails, and never turned back', async () => {
  const user = await fixtures.user();
  const [key] = await listKeys(db, user.email);
  let fails = true;
  const flaky = {
    ...db,
    many: async (query: never) => (fails ? Promise.reject(new Error('down')) : db.many(query)),
  };
  const uses = lastUsed(flaky as never, usesOfKeys, () => {}, 1_000_000);
  uses.note(key?.id as string);
  await assert.rejects(uses.flush());
  fails = false;
  await uses.flush();
  const written = (await listKeys(db, user.email))[0]?.last_used_at;
  assert.ok(written instanceof Date);
  await setTimeout(5);
  uses.note(key?.id as string);
  await db.many(
    sql`update api_key set last_used_at = now() + interval '1 hour' where id = ${key?.id}`,
  );
  await uses.close();
  const [later] = await listKeys(db, user.email);
  assert.ok((later?.last_used_at as Date) > new Date(Date.now() + 1_800_000));
});
