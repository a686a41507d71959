import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../db/sql.ts';
import { type Browser, signedIn } from '../testing/browser.ts';
import { openStream } from '../testing/event-reader.ts';
import type { User } from '../testing/fixtures.ts';
import { startHarness } from '../testing/harness.ts';
import { watchStatements } from '../testing/statements.ts';
import { deactivateUser } from '../users/users.ts';

// Two servers on one database: what ends at one of them is read at both.
const harness = await startHarness();
const other = await startHarness({ databaseUrl: harness.databaseUrl });
const { db, events, fixtures, request } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });

const sent: string[] = [];
watchStatements(({ text }) => sent.push(text));

async function taskWithEvent() {
  const task = await fixtures.task(project, owner);
  await events.log.acquire(task, 1n, 'worker');
  const append = () => events.log.append(task, 1n, [{ type: 'message', payload: {} }]);
  await append();
  return { append, path: `/api/tasks/${task}/events` };
}

/** A member with a stream by key and one by session, at both servers. */
async function memberWithStreams(path: string) {
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'viewer');
  const browser = await signedIn(harness, user);
  const elsewhere = await signedIn(harness, user);
  const open = (by: { key: string } | { cookie: string }) =>
    Promise.all([harness, other].map(({ url }) => openStream(`${url}${path}`, by)));
  const byKey = await open(user);
  const bySession = await open({ cookie: browser.cookie });
  await Promise.all([...byKey, ...bySession].map(({ until }) => until(1)));
  return { user, browser, elsewhere, byKey, bySession };
}

type Ending = (who: { user: User; browser: Browser; elsewhere: Browser }) => Promise<unknown>;
type Streams = 'byKey' | 'bySession';

const ENDINGS: Record<string, { end: Ending; of: Streams[] }> = {
  'a sign-out': {
    end: ({ browser }) => browser.request('POST', '/auth/sign-out'),
    of: ['bySession'],
  },
  'the end of all other sessions': {
    end: ({ elsewhere }) => elsewhere.request('POST', '/auth/sessions/end-others'),
    of: ['bySession'],
  },
  'a password that another browser sets': {
    end: ({ elsewhere }) =>
      elsewhere.request('PUT', '/auth/password', { body: { password: 'brisk-copper-willow-17' } }),
    of: ['bySession'],
  },
  'a key that is revoked': {
    end: async ({ elsewhere }) => {
      const { body } = await elsewhere.request('GET', '/auth/keys');
      return elsewhere.request('DELETE', `/auth/keys/${body[0].id}`);
    },
    of: ['byKey'],
  },
  'a member who is removed': {
    end: ({ user }) =>
      request('DELETE', `/api/organizations/${workspace}/members/${user.id}`, { key: owner.key }),
    of: ['byKey', 'bySession'],
  },
  'a user who is deactivated': {
    end: ({ user }) => db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    of: ['byKey', 'bySession'],
  },
};

for (const [what, { end, of }] of Object.entries(ENDINGS))
  test(`${what} ends the event streams that it concerns within 3 s, at every server, and no other`, async () => {
    const { append, path } = await taskWithEvent();
    const who = await memberWithStreams(path);
    const bystander = await openStream(`${other.url}${path}`, { key: owner.key });
    await bystander.until(1);
    await end(who);
    const ending = of.flatMap((streams) => who[streams]);
    const ended = Promise.all(ending.map(({ ended }) => ended)).then(() => 'ended');
    assert.equal(await Promise.race([ended, pause(3_000, 'still open')]), 'ended');
    // Ended without a word that would call the reader back.
    for (const each of ending) assert.doesNotMatch(each.text(), /retry/);
    const stay = [...who.byKey, ...who.bySession, bystander].filter((s) => !ending.includes(s));
    await append();
    for (const each of stay) {
      await each.until(2);
      each.cut();
    }
    for (const each of ending) assert.equal(each.frames.length, 1);
  });

test('hundreds of streams of a person who is removed are asked about in one statement', async () => {
  const { path } = await taskWithEvent();
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'viewer');
  const streams = await Promise.all(
    Array.from({ length: 180 }, () => openStream(`${harness.url}${path}`, user)),
  );
  await Promise.all(streams.map(({ until }) => until(1)));
  sent.length = 0;
  await request('DELETE', `/api/organizations/${workspace}/members/${user.id}`, {
    key: owner.key,
  });
  await Promise.all(streams.map(({ ended }) => ended));
  const questions = sent.filter((text) => text.includes('with permit as'));
  assert.ok(questions.length === 1 || questions.length === 2, `${questions.length} statements`);
});

test('401: a page that waited shows no event once the session has ended', async () => {
  const { append, path } = await taskWithEvent();
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'viewer');
  const browser = await signedIn(harness, user);
  const { cookie } = browser;
  const waiting = request('GET', `${path}?after=1&wait=20`, { headers: { cookie } });
  await pause(300);
  await browser.request('POST', '/auth/sign-out');
  await append();
  const reply = await waiting;
  assert.deepEqual([reply.status, reply.body.code], [401, 'not_authenticated']);
});

test('revocations are kept for an hour', async () => {
  const { purgeRevocations, recentlyRevoked } = await import('../http/still-allowed.ts');
  const [old, fresh] = [await fixtures.user(), await fixtures.user()];
  await db.many(sql`
    insert into revocation (user_id, noted_at)
    values (${old.id}, now() - interval '61 minutes'), (${fresh.id}, now())`);
  await purgeRevocations(db);
  const left = await db.many<{ user_id: string }>(sql`
    select user_id from revocation where user_id in (${old.id}, ${fresh.id})`);
  assert.deepEqual(left, [{ user_id: fresh.id }]);
  assert.ok((await recentlyRevoked(db)).has(fresh.id));
});
