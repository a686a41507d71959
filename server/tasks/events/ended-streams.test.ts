import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { deactivateUser } from '../../identity/users/users.ts';
import { type Browser, signedIn } from '../../testing/clients/browser.ts';
import { openStream } from '../../testing/clients/event-reader.ts';
import { watchStatements } from '../../testing/database/statements.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// Two servers on one database: what ends at one of them is read at both.
const harness = await startHarness({ own: true });
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

/** Streams of these people at both servers, of a task of a project of its own. */
async function streamsOf(project: string, people: User[]) {
  const task = await fixtures.task(project, owner);
  await events.log.acquire(task, 1n, 'worker');
  await events.log.append(task, 1n, [{ type: 'message', payload: {} }]);
  const open = people.flatMap((user) =>
    [harness, other].map(({ url }) => openStream(`${url}/api/tasks/${task}/events`, user)),
  );
  const streams = await Promise.all(open);
  await Promise.all(streams.map(({ until }) => until(1)));
  return streams;
}

/** Which of these streams end within 3 s, in their order; cuts the others. */
async function endings(streams: Awaited<ReturnType<typeof streamsOf>>): Promise<boolean[]> {
  const late = pause(3_000, false);
  const over = await Promise.all(
    streams.map(({ ended }) => Promise.race([ended.then(() => true), late])),
  );
  for (const { cut } of streams) cut();
  return over;
}

test('a workspace that begins to require a second factor ends the streams of members without one', async () => {
  const [boss, member] = [await fixtures.user({ twoFactor: true }), await fixtures.user()];
  const strict = await fixtures.workspace(boss);
  await fixtures.member(strict, member, 'member');
  const held = await streamsOf(await fixtures.project({ organizationId: strict }), [boss, member]);
  const changed = await request('PUT', `/api/organizations/${strict}`, {
    key: boss.key,
    body: { require_2fa: true },
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(await endings(held), [false, false, true, true]);
  const noted = await db.many(sql`select from revocation where user_id = ${boss.id}`);
  assert.equal(noted.length, 0, 'the streams of a member who has one are not asked about');
});

test('a project that goes to another workspace ends the streams of members of its former one', async () => {
  const [boss, member] = [await fixtures.user(), await fixtures.user()];
  const [from, to] = [await fixtures.workspace(boss), await fixtures.workspace(boss)];
  await fixtures.member(from, member, 'member');
  const moving = await fixtures.project({ organizationId: from });
  const held = await streamsOf(moving, [boss, member]);
  const moved = await request('POST', `/api/projects/${moving}/transfer`, {
    key: boss.key,
    body: { organization_id: to },
  });
  assert.equal(moved.status, 200);
  assert.deepEqual(await endings(held), [false, false, true, true]);
});

test('a personal project that goes to another person ends the streams of its former owner', async () => {
  const [giver, taker] = [await fixtures.user(), await fixtures.user()];
  const personal = await fixtures.project({ userId: giver.id });
  const held = await streamsOf(personal, [giver]);
  await db.many(sql`update project set name = 'Renamed' where id = ${personal}`);
  const noted = () => db.many(sql`select from revocation where user_id = ${giver.id}`);
  assert.equal((await noted()).length, 0, 'a change of something else notes no one');
  await db.many(sql`update project set owner_user_id = ${taker.id} where id = ${personal}`);
  assert.deepEqual(await endings(held), [true, true]);
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
  const { purgeRevocations, recentlyRevoked } = await import('../../http/still-allowed.ts');
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
