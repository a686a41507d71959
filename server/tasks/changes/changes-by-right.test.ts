import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { deactivateUser } from '../../identity/users/users.ts';
import { type Browser, signedIn } from '../../testing/clients/browser.ts';
import { openStream } from '../../testing/clients/event-reader.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

// Two servers on one database: a right that ends at one of them ends the streams of both.
const harness = await startHarness({ own: true });
const other = await startHarness({ databaseUrl: harness.databaseUrl });
const { db, fixtures, request } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const path = '/api/task-changes';

type Stream = Awaited<ReturnType<typeof openStream<string>>>;
type By = { key: string } | { cookie: string };

/** A stream at each server, which has said that the lists have to be read. */
async function opened(by: By, at = path): Promise<Stream[]> {
  const open = await Promise.all(
    [harness, other].map(({ url }) => openStream<string>(`${url}${at}`, by)),
  );
  await Promise.all(open.map(({ until }) => until(1)));
  return open;
}

const rename = (task: string) =>
  db.many(sql`update task set title = gen_random_uuid()::text where id = ${task}`);
const tells = ({ frames }: Stream, task: string) =>
  frames.some(({ data }) => data.task_id === task);
const resets = ({ frames }: Stream) => frames.filter(({ event }) => event === 'reset').length;
const cutAll = (streams: Stream[]) => {
  for (const { cut } of streams) cut();
};

/** Changes these tasks, and waits until a witness of all of them was told. */
async function change(tasks: string[], witnesses: Stream[]): Promise<void> {
  for (const task of tasks) await rename(task);
  for (const each of witnesses)
    await until('the witness gets all', () => tasks.every((task) => tells(each, task)));
  await pause(200);
}

test('members of two workspaces each get the tasks of their own, and nobody else those of a personal project', async () => {
  const [anna, ben, both] = [await fixtures.user(), await fixtures.user(), await fixtures.user()];
  const [first, second] = [await fixtures.workspace(anna), await fixtures.workspace(ben)];
  await fixtures.member(first, both, 'viewer');
  await fixtures.member(second, both, 'viewer');
  const inFirst = await fixtures.project({ organizationId: first });
  const inSecond = await fixtures.project({ organizationId: second });
  const personal = await fixtures.project({ userId: anna.id });
  const tasks = [
    await fixtures.task(inFirst, anna),
    await fixtures.task(inSecond, ben),
    await fixtures.task(personal, anna),
  ];
  const [byAnna, byBen, byBoth] = [await opened(anna), await opened(ben), await opened(both)];
  for (const task of tasks) await rename(task);
  const toldOf = (streams: Stream[]) =>
    streams.map((each) => tasks.map((task) => tells(each, task)));
  const expected: [Stream[], boolean[]][] = [
    [byAnna, [true, false, true]],
    [byBen, [false, true, false]],
    [byBoth, [true, true, false]],
  ];
  for (const [streams, tasksTold] of expected)
    await until('what each may see', () =>
      toldOf(streams).every((told) => told.every((is, i) => is || !tasksTold[i])),
    );
  await pause(1_200);
  for (const [streams, tasksTold] of expected)
    assert.deepEqual(toldOf(streams), [tasksTold, tasksTold]);
  for (const [streams] of expected) cutAll(streams);
});

test('a key of one workspace, a service account and an outside collaborator get only what they can open', async () => {
  const person = await fixtures.user();
  const [one, two] = [await fixtures.workspace(person), await fixtures.workspace(person)];
  const [inOne, alsoInOne, inTwo] = [
    await fixtures.project({ organizationId: one }),
    await fixtures.project({ organizationId: one }),
    await fixtures.project({ organizationId: two }),
  ];
  const limited = await fixtures.user();
  await fixtures.member(one, limited);
  await fixtures.member(two, limited);
  await db.many(sql`update api_key set organization_id = ${one} where user_id = ${limited.id}`);
  const bot = await fixtures.serviceAccount(one);
  const guest = await fixtures.user();
  await fixtures.grant(inOne, guest, 'viewer');
  const tasks = await Promise.all([inOne, alsoInOne, inTwo].map((id) => fixtures.task(id, person)));
  const witness = await opened(person);
  const streams = {
    limited: await opened(limited),
    bot: await opened(bot),
    guest: await opened(guest),
  };
  await change(tasks, witness);
  await pause(1_200);
  const told = Object.fromEntries(
    Object.entries(streams).map(([who, [here]]) => [
      who,
      tasks.map((t) => tells(here as Stream, t)),
    ]),
  );
  assert.deepEqual(told, {
    limited: [true, true, false],
    bot: [true, true, false],
    guest: [true, false, false],
  });
  const refused = await request('GET', `${path}?project_id=${inTwo}`, { key: limited.key });
  assert.deepEqual([refused.status, refused.body.code], [403, 'key_out_of_scope']);
  for (const each of [witness, ...Object.values(streams)]) cutAll(each);
});

test('a workspace that requires a second factor tells nothing to members without one, from within 3 s on', async () => {
  const [boss, member] = [await fixtures.user({ twoFactor: true }), await fixtures.user()];
  const strict = await fixtures.workspace(boss);
  await fixtures.member(strict, member, 'member');
  const task = await fixtures.task(await fixtures.project({ organizationId: strict }), boss);
  const [byBoss, byMember] = [await opened(boss), await opened(member)];
  const changed = await request('PUT', `/api/organizations/${strict}`, {
    key: boss.key,
    body: { require_2fa: true },
  });
  assert.equal(changed.status, 200);
  for (const each of byMember) await until('a reset', () => resets(each) === 2, 3_000);
  await change([task], byBoss);
  assert.deepEqual(
    [...byMember].map((each) => tells(each, task)),
    [false, false],
  );
  assert.deepEqual(byBoss.map(resets), [1, 1]);
  for (const each of [byBoss, byMember]) cutAll(each);
});

for (const [what, gain] of Object.entries({
  'whose person sets up a second factor that a workspace requires': (_: string, person: User) =>
    db.many(sql`update app_user set two_factor = true where id = ${person.id}`),
  'of a member without a second factor, which is not required any more,': (strict: string) =>
    db.many(sql`update organization set require_2fa = false where id = ${strict}`),
}))
  test(`a stream ${what} has its tasks within 3 s, also one that continues`, async () => {
    const [boss, member] = [await fixtures.user({ twoFactor: true }), await fixtures.user()];
    const strict = await fixtures.workspace(boss);
    await fixtures.member(strict, member, 'member');
    const task = await fixtures.task(await fixtures.project({ organizationId: strict }), boss);
    await db.many(sql`update organization set require_2fa = true where id = ${strict}`);
    // As if neither had changed lately: else what continues begins with a reset in any case.
    await db.many(sql`update membership set created_at = now() - interval '1 day'`);
    await db.many(sql`delete from revocation`);
    const streams = await opened(member);
    const id = streams[0]?.frames.at(-1)?.id as string;
    const continuing = () =>
      openStream<string>(`${harness.url}${path}`, { key: member.key, lastEventId: id });
    const same = await continuing();
    await pause(300);
    assert.equal(resets(same), 0);
    same.cut();

    await gain(strict, member);
    for (const each of streams) await until('a reset', () => resets(each) === 2, 3_000);
    const again = await continuing();
    assert.equal((await again.until(1))[0]?.event, 'reset');
    await change([task], [...streams, again]);
    cutAll([...streams, again]);
  });

type Ending = (who: { user: User; browser: Browser; elsewhere: Browser }) => Promise<unknown>;

/** What ends streams, by which of the person's credentials. */
const ENDINGS: Record<string, { end: Ending; of: ('key' | 'session')[] }> = {
  'a sign-out': {
    end: ({ browser }) => browser.request('POST', '/auth/sign-out'),
    of: ['session'],
  },
  'a key that is revoked': {
    end: async ({ elsewhere }) => {
      const { body } = await elsewhere.request('GET', '/auth/keys');
      return elsewhere.request('DELETE', `/auth/keys/${body[0].id}`);
    },
    of: ['key'],
  },
  'a user who is deactivated': {
    end: ({ user }) => db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    of: ['key', 'session'],
  },
};

for (const [what, { end, of }] of Object.entries(ENDINGS))
  test(`${what} ends the streams that it concerns within 3 s, at every server, and no other`, async () => {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, 'viewer');
    const task = await fixtures.task(project, owner);
    const [browser, elsewhere] = [await signedIn(harness, user), await signedIn(harness, user)];
    const streams = { key: await opened(user), session: await opened({ cookie: browser.cookie }) };
    const witness = await opened(owner);
    await end({ user, browser, elsewhere });
    const ending = of.flatMap((which) => streams[which]);
    const ended = Promise.all(ending.map(({ ended }) => ended)).then(() => 'ended');
    assert.equal(await Promise.race([ended, pause(3_000, 'still open')]), 'ended');
    // Ended without a word that would call the reader back.
    for (const each of ending) assert.doesNotMatch(each.text(), /retry/);
    const stay = Object.values(streams)
      .flat()
      .filter((each) => !ending.includes(each));
    await change([task], [...witness, ...stay]);
    for (const each of ending) assert.equal(tells(each, task), false);
    cutAll([...witness, ...stay]);
  });

test('a member who is removed hears of the lists within 3 s, and of no task of the workspace from then on', async () => {
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'viewer');
  const own = await fixtures.task(await fixtures.project({ userId: user.id }), user);
  const task = await fixtures.task(project, owner);
  const all = await opened(user);
  const one = await opened(user, `${path}?project_id=${project}`);
  const witness = await opened(owner);
  const removed = await request('DELETE', `/api/organizations/${workspace}/members/${user.id}`, {
    key: owner.key,
  });
  assert.equal(removed.status, 200, removed.text);
  for (const each of all) await until('a reset', () => resets(each) === 2, 3_000);
  // That about one project of the workspace has ended.
  const ended = Promise.all(one.map(({ ended }) => ended)).then(() => 'ended');
  assert.equal(await Promise.race([ended, pause(3_000, 'still open')]), 'ended');
  await change([task], witness);
  await change([own], all);
  for (const each of [...all, ...one]) assert.equal(tells(each, task), false);
  cutAll([...all, ...witness]);
});

test('changes of a project that moves to another workspace go only to members of that one', async () => {
  const [boss, member] = [await fixtures.user(), await fixtures.user()];
  const [from, to] = [await fixtures.workspace(boss), await fixtures.workspace(boss)];
  await fixtures.member(from, member, 'member');
  const moving = await fixtures.project({ organizationId: from });
  const task = await fixtures.task(moving, boss);
  const [byBoss, byMember] = [await opened(boss), await opened(member)];
  const moved = await request('POST', `/api/projects/${moving}/transfer`, {
    key: boss.key,
    body: { organization_id: to },
  });
  assert.equal(moved.status, 200, moved.text);
  for (const each of byMember) await until('a reset', () => resets(each) >= 2, 4_000);
  // Both the poll of changes and the check of rights may have sent it.
  await pause(2_000);
  await change([task], byBoss);
  assert.deepEqual(
    byMember.map((each) => tells(each, task)),
    [false, false],
  );
  for (const each of [byBoss, byMember]) cutAll(each);
});

test('race: members are removed while tasks change, and none gets what changes 3 s later', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => fixtures.user()));
  for (const person of people) await fixtures.member(workspace, person, 'viewer');
  const tasks = await Promise.all(Array.from({ length: 6 }, () => fixtures.task(project, owner)));
  const witness = await opened(owner);
  const streams = (await Promise.all(people.map((person) => opened(person)))).flat();
  let over = false;
  const changing = (async () => {
    while (!over) await Promise.all(tasks.map(rename));
  })();
  await Promise.all(
    people.map(async (person, i) => {
      await pause(i * 100);
      await fixtures.removeMember(workspace, person.id);
    }),
  );
  await pause(3_000);
  const counted = streams.map(({ frames }) => frames.length);
  const seen = witness.map(({ frames }) => frames.length);
  await pause(2_500);
  over = true;
  await changing;
  assert.ok(witness.every(({ frames }, i) => frames.length > (seen[i] as number)));
  assert.deepEqual(
    streams.map(({ frames }) => frames.length),
    counted,
  );
  cutAll([...witness, ...streams]);
});
