import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { sql } from '../../db/sql.ts';
import { openSealing } from '../../platform/sealing/sealing.ts';
import { startFakeGitea } from '../../testing/fakes/fake-gitea/server.ts';
import { atGitea } from '../../testing/fixtures/code/gitea.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { REAL_SERVERS, startGitea, type TestGitea } from '../../testing/gitea/start.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { HostError } from '../hosts/host-error.ts';
import type { NamedReview } from '../hosts/reviews.ts';
import { refreshAccounts } from './background.ts';
import { giteaHost } from './code-host.ts';
import { openGitea } from './open-gitea.ts';

/**
 * What people write about pull requests on Gitea, as its API has it: tried with the fake, and with a
 * real one where there is one, so that the fake answers as the real one does.
 */

const { db, fixtures } = await startHarness({ own: true, env: { CODE_HOST_ALLOW_HTTP: 'true' } });
const sealing = openSealing({ current: SERVER_SECRET }, 'code_hosts');
const gitea = openGitea(db, sealing, { allowedNetworks: ['127.0.0.1'], allowHttp: true });
const host = giteaHost(gitea);
const { reviews } = host;
const log = pino({ level: 'silent' });
const owner = await fixtures.user();

const servers: [string, () => Promise<TestGitea>][] = [
  ['the fake', startFakeGitea],
  ...REAL_SERVERS.map(({ name, folder }) => [name, () => startGitea(folder)] as never),
];

/** Learns now whose the token of a connection is. */
async function learn(id: string): Promise<{ id: number | null; login: string | null }> {
  await db.many(sql`update gitea_connection set account_asked_at = '-infinity' where id = ${id}`);
  await refreshAccounts(db, gitea, log);
  return db.one(sql`
    select account_id::float8 as id, account_login as login from gitea_connection where id = ${id}`);
}

/** A connection of a workspace of its own, which knows whose its token is. */
async function connected(server: TestGitea, { scopes = ENOUGH, login = 'boss' } = {}) {
  const token = await server.newToken(scopes, login);
  const workspace = await fixtures.workspace(owner);
  const id = await fixtures.giteaConnection(workspace, { url: server.url, token });
  await learn(id);
  return id;
}
const ENOUGH = 'write:repository,write:issue,read:user';

/** A repository with a pull request and people: ada may write, rita read. */
async function offered(server: TestGitea, name: string) {
  const { url } = server;
  const at = atGitea(server);
  const { id: repositoryId, fullName } = await at.repository('acme', name);
  const connectionId = await connected(server);
  const as = async (login: string, permission?: string) => {
    await server.newPerson(login).catch(() => undefined);
    const path = `/repos/${fullName}/collaborators/${login}`;
    if (permission !== undefined) await at.api('PUT', path, { permission });
    return atGitea({ url, token: await server.newToken('all', login) }).api;
  };
  await at.push(fullName, 'task/one', { 'a.txt': 'one\ntwo\nthree\n' });
  const of = { host: 'gitea', connectionId, repositoryId, fullName, installationId: 0 } as const;
  const change = { head: 'task/one', base: 'main', title: 'A change', body: '' };
  const { number } = await host.openPull(of, change);
  const pulls = `/repos/${fullName}/pulls/${number}`;
  const issues = `/repos/${fullName}/issues`;
  return { api: at.api, as, pull: { ...of, number }, fullName, connectionId, pulls, issues };
}

/** Forgejo of December 2024 fails at telling its webhooks of what it has stored. */
async function comment(api: ReturnType<typeof atGitea>['api'], path: string, body: string) {
  const refused = await api('POST', path, { body }).catch((error) => error);
  if (!(refused instanceof Error)) return refused as { id: number };
  assert.match(refused.message, /: 500 [\s\S]*Forgejo/);
  const all = await api<{ id: number; body: string }[]>('GET', path);
  return all.findLast((each) => each.body === body) ?? assert.fail(refused);
}

const since = () => Date.now() - 3_600_000;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof HostError ? error.code : assert.fail(String(error.stack))),
  );

for (const [name, start] of servers) {
  const started = start();
  after(async () => (await started).close());

  test(`${name}: comments and reviews of others are listed, and read as they are now`, async () => {
    const { api, as, pull, pulls, issues } = await offered(await started, 'listed');
    const [ada, rita] = [await as('ada', 'write'), await as('rita', 'read')];
    const conversation = `${issues}/${pull.number}/comments`;
    const first = await comment(ada, conversation, '@boss round it');
    const read = await comment(rita, conversation, '@boss me too');
    await comment(ada, conversation, 'It is fine');
    await comment(api, conversation, '@ada what?');
    const review = await ada('POST', `${pulls}/reviews`, {
      event: 'REQUEST_CHANGES',
      body: 'Look at this',
      comments: [{ path: 'a.txt', new_position: 2, body: '@boss say why' }],
    });
    await api('POST', `${pulls}/reviews`, { event: 'COMMENT', body: '@ada mine' });
    await ada('POST', `${pulls}/reviews`, { event: 'COMMENT', body: 'Nothing for it' });
    await rita('POST', `${pulls}/reviews`, { body: '@boss not sent yet' });
    const { asked, written } = await reviews.writtenSince(pull, since());
    assert.deepEqual(
      written.map(({ kind, id }) => [kind, id]),
      [
        ['comment', first.id],
        ['comment', read.id],
        ['review', review.id],
      ],
    );
    assert.ok(Math.abs(asked - Date.now()) < 60_000, 'when it answered');
    for (const { at } of written) assert.ok(Math.abs(at - asked) < 60_000);
    const later = await reviews.writtenSince(pull, asked + 60_000);
    assert.deepEqual(later.written, []);
    const adaIs = { login: 'ada', authorId: (await ada('GET', '/user')).id };
    assert.deepEqual(await reviews.read(pull, { kind: 'comment', id: first.id }), {
      ...adaIs,
      verdict: null,
      text: '@boss round it',
      comments: [],
    });
    const whole = await reviews.read(pull, { kind: 'review', id: review.id });
    const [line] = whole?.comments ?? [];
    assert.match(line?.hunk ?? '', /^@@ .* @@/);
    assert.deepEqual(whole, {
      ...adaIs,
      verdict: 'changes_requested',
      text: 'Look at this',
      comments: [{ path: 'a.txt', line: 2, hunk: line?.hunk, text: '@boss say why' }],
    });
    await ada('PATCH', `${issues}/comments/${first.id}`, { body: '@boss round it up' });
    const edited = await reviews.read(pull, { kind: 'comment', id: first.id });
    assert.equal(edited?.text, '@boss round it up');
    await ada('DELETE', `${issues}/comments/${first.id}`);
    assert.equal(await reviews.read(pull, { kind: 'comment', id: first.id }), undefined);
  });

  test(`${name}: what the account has written, what is elsewhere and what is not sent is not read`, async () => {
    const { api, as, pull, pulls, issues, fullName } = await offered(await started, 'own');
    const ada = await as('ada', 'write');
    const own = await comment(api, `${issues}/${pull.number}/comments`, '@boss mine');
    const draft = await ada('POST', `${pulls}/reviews`, { body: '@boss not sent yet' });
    const other = await offered(await started, 'elsewhere');
    await other.as('ada', 'write');
    const said = await comment(ada, `${other.issues}/1/comments`, '@boss there');
    const ofOther = await ada('POST', `${other.pulls}/reviews`, {
      event: 'COMMENT',
      body: '@boss',
    });
    for (const of of [
      { kind: 'comment', id: own.id },
      { kind: 'comment', id: said.id },
      { kind: 'comment', id: 999_999 },
      { kind: 'review', id: draft.id },
      { kind: 'review', id: ofOther.id },
      { kind: 'review', id: 999_999 },
      { kind: 'comment', id: own.id, review: 999_999 },
    ] satisfies NamedReview[])
      assert.equal(await reviews.read({ ...pull, fullName }, of), undefined, JSON.stringify(of));
  });

  test(`${name}: who may write is told by the permission there, which only an administrator may ask`, async () => {
    const { as, pull, api, fullName } = await offered(await started, 'rights');
    await as('ada', 'write');
    await as('rita', 'read');
    await as('stranger');
    const may = () =>
      Promise.all(
        ['ada', 'ADA', 'boss', 'rita', 'stranger', 'nobody'].map((login) =>
          reviews.mayWrite(pull, login),
        ),
      );
    assert.deepEqual(await may(), [true, true, true, false, false, false]);
    await api('DELETE', `/repos/${fullName}/collaborators/ada`);
    assert.equal(await reviews.mayWrite(pull, 'ada'), false);
    // A connection by somebody who only writes.
    await as('robot', 'write');
    const weaker = await connected(await started, { login: 'robot' });
    assert.equal((await learn(weaker)).login, 'robot');
    const asked = reviews.mayWrite({ ...pull, connectionId: weaker }, 'rita');
    assert.equal(await codeOf(asked), 'gitea_permission_missing');
  });

  test(`${name}: whose a token is is learned, and what one without the scopes may not do is told apart`, async () => {
    const server = await started;
    const { pull, connectionId } = await offered(server, 'scopes');
    const { id, login } = await learn(connectionId);
    assert.deepEqual([login, Number(id) > 0], ['boss', true]);
    assert.equal(await reviews.name(pull), 'boss');
    const narrow = await connected(server, { scopes: 'write:repository' });
    assert.deepEqual(await learn(narrow), { id: null, login: null });
    const there = { ...pull, connectionId: narrow };
    assert.equal(await reviews.name(there), undefined);
    const from = since();
    assert.deepEqual(await reviews.writtenSince(there, from), { asked: from, written: [] });
    assert.equal(await codeOf(reviews.post(there, 'Hello')), 'gitea_permission_missing');
  });

  test(`${name}: what was posted is found again, and the same by someone else is not taken for it`, async () => {
    const { api, as, pull, issues } = await offered(await started, 'posted');
    const ada = await as('ada', 'write');
    const conversation = `${issues}/${pull.number}/comments`;
    await comment(ada, conversation, 'Done <!-- mark:1 -->');
    const [hour, ahead] = [new Date(since()), new Date(Date.now() + 60_000)];
    assert.equal(await reviews.hasPosted(pull, '<!-- mark:1 -->', hour), false);
    const posted = await codeOf(reviews.post(pull, 'Done\n\n<!-- mark:1 -->'));
    // As if its answer were lost.
    assert.equal(posted, name === 'Forgejo' ? 'gitea_unavailable' : 'done');
    assert.equal(await reviews.hasPosted(pull, '<!-- mark:1 -->', hour), true);
    assert.equal(await reviews.hasPosted(pull, '<!-- mark:2 -->', hour), false);
    assert.equal(await reviews.hasPosted(pull, '<!-- mark:1 -->', ahead), false);
    const all = await api<{ body: string; user: { login: string } }[]>('GET', conversation);
    assert.deepEqual(
      all.map(({ body, user }) => [user.login, body.includes('mark:1')]),
      [
        ['ada', true],
        ['boss', true],
      ],
    );
  });

  test(`${name}: who answers a comment on a line is heard alone, and is no part of the review`, async () => {
    const server = await started;
    const { as, pull, pulls } = await offered(server, 'answers');
    const ada = await as('ada', 'write');
    await as('rita', 'read');
    const { id: review } = await ada('POST', `${pulls}/reviews`, {
      event: 'COMMENT',
      body: '',
      comments: [{ path: 'a.txt', new_position: 2, body: 'Say why.' }],
    });
    // Gitea is exact to the second.
    await pause(1_100);
    await server.reply({ pulls, review, by: 'rita', body: '@boss as she says' });
    await server.reply({ pulls, review, by: 'ada', body: '@boss so do it' });
    await server.reply({ pulls, review, by: 'ada', body: 'Thanks' });
    const { written } = await reviews.writtenSince(pull, since());
    assert.deepEqual(
      written.map((each) => [each.kind, each.review]),
      [
        ['comment', review],
        ['comment', review],
      ],
    );
    const read = await Promise.all(written.map((each) => reviews.read(pull, each)));
    assert.deepEqual(
      read.map((each) => [each?.login, each?.text, each?.comments.map(({ text }) => text)]),
      [
        ['rita', '', ['@boss as she says']],
        ['ada', '', ['@boss so do it']],
      ],
    );
    assert.equal(read[0]?.comments[0]?.line, 2);
    const whole = await reviews.read(pull, { kind: 'review', id: review });
    assert.deepEqual(
      whole?.comments.map(({ text }) => text),
      ['Say why.'],
    );
    const [first] = written;
    const inConversation = { kind: 'comment', id: first?.id ?? 0 } as const;
    assert.equal(await reviews.read(pull, inConversation), undefined);
  });

  test(`${name}: a comment moves the time of the pull request, and an edit of it does not`, async () => {
    const { as, pull, issues } = await offered(await started, 'times');
    const ada = await as('ada', 'write');
    const updated = async () => (await host.readPull(pull, pull.number)).updatedAt.getTime();
    const opened = await updated();
    await pause(1_100);
    const { id } = await comment(ada, `${issues}/${pull.number}/comments`, 'Hm');
    const commented = await updated();
    assert.ok(commented > opened);
    await pause(1_100);
    await ada('PATCH', `${issues}/comments/${id}`, { body: '@boss hm' });
    assert.equal(await updated(), commented);
  });
}
