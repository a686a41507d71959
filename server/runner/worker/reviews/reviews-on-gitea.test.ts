import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { refreshAccounts } from '../../../code/gitea/background.ts';
import { giteaHost } from '../../../code/gitea/code-host.ts';
import { openGitea } from '../../../code/gitea/open-gitea.ts';
import { registerWebhooks } from '../../../code/gitea/webhooks.ts';
import { openHosts } from '../../../code/hosts/open-hosts.ts';
import { refreshDuePulls } from '../../../code/hosts/refresh-due-pulls.ts';
import { sql } from '../../../db/sql.ts';
import { openSealing } from '../../../platform/sealing/sealing.ts';
import { startFakeGitea } from '../../../testing/fakes/fake-gitea/server.ts';
import { atGitea } from '../../../testing/fixtures/code/gitea.ts';
import { SERVER_SECRET } from '../../../testing/fixtures/erp/odoo-connections.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { answerReviews } from './answer-reviews.ts';
import { sendReviews } from './send-reviews.ts';

/** What people write about a pull request on Gitea reaches the agent of its task, and is answered. */

const harness = await startHarness({ own: true, env: { CODE_HOST_ALLOW_HTTP: 'true' } });
const { db, fixtures, request } = harness;
const log = pino({ level: 'silent' });
const sealing = openSealing({ current: SERVER_SECRET }, 'code_hosts');
const gitea = openGitea(db, sealing, { allowedNetworks: ['127.0.0.1'], allowHttp: true });
const host = giteaHost(gitea);
const codeHosts = openHosts({ gitea: host });
const owner = await fixtures.user();
const [one, other] = [await startFakeGitea(), await startFakeGitea()];
after(async () => {
  await one.close();
  await other.close();
});
for (const fake of [one, other])
  for (const login of ['ada', 'rita', 'stranger']) await fake.newPerson(login);

const refresh = () => refreshDuePulls(db, codeHosts, log);
const send = () => sendReviews(db, undefined);
const answer = () => answerReviews(db, { codeHosts, publicUrl: 'https://guildhall.test', log });
const ENOUGH = 'write:repository,write:issue,read:user';

/** A task with an open pull request on a server, in a project of a workspace of its own. */
let made = 0;
async function offered({ server = one, scopes = ENOUGH } = {}) {
  made += 1;
  const { url } = server;
  const at = atGitea(server);
  const { id: repositoryId, fullName } = await at.repository('acme', `shop${made}`);
  for (const [login, permission] of [
    ['ada', 'write'],
    ['rita', 'read'],
  ])
    await at.api('PUT', `/repos/${fullName}/collaborators/${login}`, { permission });
  const workspace = await fixtures.workspace(owner);
  const token = await server.newToken(scopes);
  const connectionId = await fixtures.giteaConnection(workspace, { url, token });
  const projectId = await fixtures.project({ organizationId: workspace });
  const { id: attached } = await db.one<{ id: string }>(sql`
    insert into repository (project_id, host, full_name, host_repository_id, connection_id, host_url)
    values (${projectId}, 'gitea', ${fullName}, ${repositoryId}, ${connectionId}, ${url})
    returning id`);
  const taskId = await fixtures.task(projectId, owner);
  await at.push(fullName, 'task/one', { 'a.txt': 'one\ntwo\nthree\n' });
  const place = { host: 'gitea', connectionId, repositoryId, fullName, installationId: 0 } as const;
  const change = { head: 'task/one', base: 'main', title: 'A change', body: '' };
  const pull = await host.openPull(place, change);
  await db.many(sql`
    insert into pull_request (task_id, repository_id, number, base, title, body, head_sha, url,
                              opened_by_user_id, looked_at)
    values (${taskId}, ${attached}, ${pull.number}, 'main', 'A change', '', ${pull.headSha},
            ${pull.url}, ${owner.id}, now())`);
  await learn();
  await registerWebhooks(db, { gitea, sealing, publicUrl: harness.url, log });
  const [issues, pulls] = ['issues', 'pulls'].map((each) => `/repos/${fullName}/${each}`);
  const as = async (login: string) => atGitea({ url, token: await server.newToken('all', login) });
  /** Asks Gitea for something as a person, until all webhooks about it are answered. */
  const done = async <T>(login: string, method: string, path: string, body: object) => {
    const answered = await (await as(login)).api<T>(method, path, body);
    await server.told();
    return answered;
  };
  const isDue = async () => {
    const { due } = await db.one<{ due: boolean }>(sql`
      select looked_at is null as due from pull_request where task_id = ${taskId}`);
    return due;
  };
  return {
    taskId,
    projectId,
    workspace,
    fullName,
    connectionId,
    at,
    isDue,
    comment: (login: string, body: string) =>
      done<{ id: number }>(login, 'POST', `${issues}/${pull.number}/comments`, { body }),
    edit: (login: string, id: number, body: string) =>
      done(login, 'PATCH', `${issues}/comments/${id}`, { body }),
    review: (login: string, review: object) =>
      done(login, 'POST', `${pulls}/${pull.number}/reviews`, review),
    /** What the account has said in the conversation. */
    said: async () =>
      (
        await at.api<{ body: string; user: { login: string } }[]>(
          'GET',
          `${issues}/${pull.number}/comments`,
        )
      )
        .filter(({ user }) => user.login === 'boss')
        .map(({ body }) => body),
  };
}

/** Learns now whose the tokens are. */
async function learn() {
  await db.many(sql`update gitea_connection set account_asked_at = '-infinity'`);
  await refreshAccounts(db, gitea, log);
}
const messagesOf = async (taskId: string) =>
  (await request('GET', `/api/tasks/${taskId}/messages`, { key: owner.key })).body;
const textsOf = async (taskId: string): Promise<string[]> =>
  (await messagesOf(taskId)).map(({ text }: { text: string }) => text.split('\n').at(-1));
const states = async (taskId: string) =>
  (
    await db.many<{ state: string }>(sql`
      select state from github_review where task_id = ${taskId} order by id`)
  ).map(({ state }) => state);
/** What is found and sent once the pull request is looked at, after so long without a webhook. */
async function found(taskId: string, time = '10 minutes') {
  await db.many(sql`
    update pull_request
       set looked_at = now() - interval '1 hour', reviews_known_until = now() - ${time}::interval
     where task_id = ${taskId}`);
  await refresh();
  await send();
  return textsOf(taskId);
}
/** Ends the turn of the newest message as a worker does. */
const end = (taskId: string, text: string) =>
  db.many(sql`
    with turn as (
      update task_turn set state = 'done', ended_at = now(), attempt = 1
       where task_id = ${taskId} and state = 'queued' returning id),
    numbered as (
      update task set last_message = last_message + 1 where id = ${taskId} returning last_message)
    insert into task_message (task_id, number, turn_id, role, content)
    select ${taskId}, last_message, turn.id, 'agent', ${text} from turn cross join numbered`);

test('a comment and a review that webhooks tell of become one message each, however often', async () => {
  const { taskId, comment, review, isDue } = await offered();
  await comment('ada', '@boss round it\nto euros');
  assert.ok(await isDue());
  await Promise.all([refresh(), refresh(), send(), send()]);
  await Promise.all([refresh(), send()]);
  await review('ada', {
    event: 'REQUEST_CHANGES',
    body: 'Look at this',
    comments: [{ path: 'a.txt', new_position: 2, body: '@Boss: say why.' }],
  });
  assert.ok(await isDue());
  // The webhook once more, and two that look at the same time.
  for (let again = 0; again < 2; again++) {
    await Promise.all([refresh(), refresh(), send(), send()]);
    await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  }
  await refresh();
  await send();
  const [first, second, ...others] = await messagesOf(taskId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [first.gitea_login, first.github_login, first.author_user_id, first.status],
    ['ada', undefined, undefined, 'queued'],
  );
  assert.equal(
    first.text,
    'From a comment on the pull request on Gitea, by @ada, who may write to the repository there.' +
      '\n\n> @boss round it\n> to euros',
  );
  assert.equal(
    second.text,
    [
      'From a review of the pull request on Gitea, by @ada, who may write to the repository there. ' +
        'It requests changes.',
      '> Look at this',
      'About "a.txt", line 2:',
      '> @@ -0,0 +1 @@\n> +line',
      'They say:',
      '> @Boss: say why.',
    ].join('\n\n'),
  );
  const turns = await db.many(sql`
    select prompt, requested_by_user_id as by from task_turn
     where task_id = ${taskId} order by number`);
  assert.deepEqual(turns, [
    { prompt: first.text, by: null },
    { prompt: second.text, by: null },
  ]);
  const trail = await db.many(sql`
    select from audit_event where target_id = ${taskId} and action = 'pull_request.review'
                              and actor_user_id is null and request_id like 'gitea:%'`);
  assert.equal(trail.length, 2);
});

test('the account itself, readers, strangers and what mentions nobody are not heard', async () => {
  const { taskId, comment, review, said } = await offered();
  await comment('boss', '@boss do it');
  await review('boss', { event: 'COMMENT', body: '@boss do it' });
  await comment('rita', '@boss do it');
  await review('rita', { event: 'COMMENT', body: '@boss do it' });
  await assert.rejects(comment('stranger', '@boss do it'), /404/);
  for (const body of [
    'Fine',
    'boss',
    '@bosses do it',
    'me@boss',
    '> @boss',
    '`@boss`',
    '@boss.two',
  ])
    await comment('ada', body);
  await review('ada', { body: '@boss not sent yet' });
  assert.deepEqual(await found(taskId), []);
  await answer();
  assert.deepEqual([await states(taskId), (await said()).length], [[], 1]);
});

test('what the agent says is posted once, also by a process that dies before it records that', async () => {
  const { taskId, comment, said } = await offered();
  await comment('ada', '@boss round it');
  assert.equal((await found(taskId)).length, 1);
  await answer();
  assert.deepEqual(await said(), [], 'its turn has not ended');
  await end(taskId, 'Rounded.\n\nAsk @rita.');
  await Promise.all([answer(), answer()]);
  await db.many(sql`
    update github_review set state = 'sent', not_before = now() where task_id = ${taskId}`);
  await answer();
  const [text, ...others] = await said();
  assert.deepEqual(others, []);
  assert.match(
    text ?? '',
    /^@ada This is the plan\. .* \[The task\]\(https:\/\/guildhall\.test\/projects\/[^)]+\)\n\nRounded\.\n\nAsk @&#8203;rita\.\n\n<!-- guildhall-review:[0-9a-f-]{36} -->$/,
  );
  assert.deepEqual(await states(taskId), ['answered']);
  // What was posted is reported, too.
  await found(taskId);
  assert.equal((await states(taskId)).length, 1);
});

test('an answer that the server takes without saying so is not posted twice', async () => {
  const { taskId, comment, said } = await offered();
  await comment('ada', '@boss round it');
  await found(taskId);
  await end(taskId, 'Rounded.');
  one.lose = (method, path) => method === 'POST' && path.endsWith('/comments');
  await answer();
  one.lose = undefined;
  assert.deepEqual([(await said()).length, await states(taskId)], [1, ['sent']]);
  await db.many(sql`update github_review set not_before = now() where task_id = ${taskId}`);
  await answer();
  assert.deepEqual([(await said()).length, await states(taskId)], [1, ['answered']]);
});

test('the same number on two servers is two messages, each answered on its own', async () => {
  const [here, there] = [await offered(), await offered({ server: other })];
  one.state.nextComment = other.state.nextComment = 5_000;
  const ids = [await here.comment('ada', '@boss here'), await there.comment('ada', '@boss there')];
  assert.equal(ids[0]?.id, ids[1]?.id);
  assert.deepEqual(await found(here.taskId), ['> @boss here']);
  assert.deepEqual(await found(there.taskId), ['> @boss there']);
  await end(here.taskId, 'Done here.');
  await end(there.taskId, 'Done there.');
  await answer();
  for (const [{ said }, text] of [
    [here, 'Done here.'],
    [there, 'Done there.'],
  ] as const) {
    const [answered, ...others] = await said();
    assert.deepEqual(others, []);
    assert.ok(answered?.includes(text));
  }
});

test('whose number on GitHub is linked here is not taken for an account of Gitea', async () => {
  const { taskId, comment } = await offered();
  const { id } = one.state.people.get('ada') ?? assert.fail();
  await db.many(sql`
    insert into identity (user_id, provider, issuer, subject)
    values (${owner.id}, 'github', 'https://github.com', ${String(id)})`);
  await comment('ada', '@boss do it');
  await db.many(sql`
    update pull_request set looked_at = null where task_id = ${taskId}`);
  await refresh();
  await sendReviews(db, 'https://github.com');
  const [message] = await messagesOf(taskId);
  assert.deepEqual([message.author_user_id, message.gitea_login], [undefined, 'ada']);
});

test('who may not write any more, or whose right cannot be asked for, is not heard', async () => {
  const lost = await offered();
  await lost.comment('ada', '@boss do it');
  await lost.at.api('DELETE', `/repos/${lost.fullName}/collaborators/ada`);
  assert.deepEqual(await found(lost.taskId), []);
  const weak = await offered();
  const boss = one.state.people.get('boss') ?? assert.fail();
  await weak.at.api('PUT', `/repos/${weak.fullName}/collaborators/boss`, { permission: 'write' });
  await weak.comment('ada', '@boss do it');
  boss.admin = false;
  assert.deepEqual(await found(weak.taskId), []);
  boss.admin = true;
  assert.deepEqual([await states(lost.taskId), await states(weak.taskId)], [[], []]);
});

test('nothing is done for what is closed, archived, or not connected any more', async () => {
  const all = [await offered(), await offered(), await offered(), await offered()] as const;
  const [closed, archived, removed, late] = all;
  await closed.at.api('PATCH', `/repos/${closed.fullName}/pulls/1`, { state: 'closed' });
  await db.many(sql`update project set archived_at = now() where id = ${archived.projectId}`);
  for (const each of all) await each.comment('ada', '@boss do it');
  await db.many(sql`delete from gitea_connection where id = ${removed.connectionId}`);
  for (const { taskId } of all)
    await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  await refresh();
  // Between the look and the message.
  await db.many(sql`delete from gitea_connection where id = ${late.connectionId}`);
  await send();
  for (const { taskId } of all) assert.deepEqual(await messagesOf(taskId), []);
  assert.deepEqual(await Promise.all(all.map(({ taskId }) => states(taskId))), [
    [],
    [],
    [],
    ['ignored'],
  ]);
});

test('what is not connected any more when the turn has ended is not answered', async () => {
  const { taskId, connectionId, comment, said } = await offered();
  await comment('ada', '@boss do it');
  assert.equal((await found(taskId)).length, 1);
  await end(taskId, 'Done.');
  await db.many(sql`delete from gitea_connection where id = ${connectionId}`);
  await answer();
  assert.deepEqual([await said(), await states(taskId)], [[], ['answered']]);
});

test('what was edited is found as soon as a webhook tells of it, and what was written without one, later', async () => {
  const { taskId, comment, edit, isDue } = await offered();
  const { id } = await comment('ada', 'Hm');
  assert.ok(await isDue());
  await refresh();
  assert.deepEqual(await states(taskId), []);
  // As if it were long ago: an edit does not change the pull request.
  for (const { pulls } of one.state.repositories.values())
    for (const pull of pulls.values()) pull.updatedAt = new Date(Date.now() - 3_600_000);
  await edit('ada', id, '@boss so it is');
  assert.ok(await isDue());
  await refresh();
  await send();
  assert.deepEqual(await textsOf(taskId), ['> @boss so it is']);
  await edit('ada', id, '@boss and more');
  assert.ok(await isDue());
  await refresh();
  await send();
  assert.equal((await textsOf(taskId)).length, 1);
  const listed = () => one.requests.filter((each) => /issues\/\d+\/comments$/.test(each)).length;
  const before = listed();
  await found(taskId);
  assert.equal(listed(), before, 'nothing has changed, and no webhook has come');
  await found(taskId, '2 hours');
  assert.equal(listed(), before + 1);
});

test('a token of before is let be, and what was written to it is found once another one has the scopes', async () => {
  const { taskId, workspace, comment } = await offered({ scopes: 'write:repository' });
  const at = `/api/organizations/${workspace}/gitea/connections`;
  const login = async () =>
    (await request('GET', at, { key: owner.key })).body.map(
      ({ account_login }: { account_login?: string }) => account_login,
    );
  await comment('ada', '@boss do it');
  assert.deepEqual([await found(taskId), await login()], [[], [undefined]]);
  const connect = async (token: string) => {
    const body = { url: one.url, token };
    assert.equal((await request('POST', at, { key: owner.key, body })).status, 201);
  };
  await connect(await one.newToken(ENOUGH));
  assert.deepEqual(await login(), [undefined], 'until the server has said so');
  await refreshAccounts(db, gitea, log);
  assert.deepEqual(await login(), ['boss']);
  assert.deepEqual(await found(taskId), ['> @boss do it']);
  // Of another account: the former one is no longer whom people mention.
  await connect(await one.newToken(ENOUGH, 'ada'));
  assert.deepEqual(await login(), [undefined]);
  await refreshAccounts(db, gitea, log);
  assert.deepEqual(await login(), ['ada']);
});

test('an answer of the server that comes after the token was replaced is not stored', async () => {
  const { connectionId, workspace } = await offered();
  await db.many(sql`update gitea_connection set account_asked_at = '-infinity'
                     where id = ${connectionId}`);
  const at = `/api/organizations/${workspace}/gitea/connections`;
  const late = await one.newToken(ENOUGH, 'rita');
  one.instead.push((_request, response) => {
    const body = { url: one.url, token: late };
    void request('POST', at, { key: owner.key, body }).then(() =>
      response.writeHead(200).end(JSON.stringify({ id: 1, login: 'boss' })),
    );
  });
  await refreshAccounts(db, gitea, log);
  assert.equal(await gitea.account(connectionId), undefined);
  await refreshAccounts(db, gitea, log);
  assert.equal((await gitea.account(connectionId))?.login, 'rita');
});

test('a long text and many comments on lines are cut', async () => {
  const { taskId, review } = await offered();
  const comments = Array.from({ length: 40 }, (_, i) => ({
    path: 'a.txt',
    new_position: i + 1,
    body: 'x'.repeat(3_000),
  }));
  await review('ada', { event: 'COMMENT', body: `@boss ${'y'.repeat(30_000)}`, comments });
  await found(taskId);
  const [message] = await messagesOf(taskId);
  assert.equal(message.text.match(/About "a\.txt"/g).length, 30);
  assert.ok(message.text.length < 30 * 2_200 + 21_000, String(message.text.length));
});

test('one that cannot be read keeps no other back, and is found later', async () => {
  const { taskId, comment } = await offered();
  const { id } = await comment('ada', '@boss one');
  await comment('ada', '@boss two');
  one.fail = (path) => path.endsWith(`/issues/comments/${id}`);
  assert.deepEqual(await found(taskId), ['> @boss two']);
  one.fail = undefined;
  await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  await refresh();
  await send();
  assert.deepEqual((await textsOf(taskId)).toSorted(), ['> @boss one', '> @boss two']);
});
