import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { atGitea } from '../testing/fixtures/code/gitea.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import { REAL_SERVERS, startGitea } from '../testing/gitea/start.ts';
import { until } from '../testing/harness/until.ts';

/** All of the way on a real server, with the sandbox agent: from a message to the merge there. */

const skip =
  'neither GUILDHALL_TEST_GITEA nor GUILDHALL_TEST_FORGEJO names a server (server/testing/gitea)';
if (REAL_SERVERS.length === 0)
  test('from a message to a merge on a real Gitea or Forgejo', { skip }, () => {});

for (const { name, folder } of REAL_SERVERS)
  test(`from a message to a merge on a real ${name}, told of by its webhook`, async (t) => {
    const gitea = await startGitea(folder);
    t.after(gitea.close);
    const { api, repository } = atGitea(gitea);
    await repository('acme', 'road', '19.0');
    const tasks = await taskServers();
    const { db, workspace } = tasks;
    // Before the server, so that the test sees what Gitea sends and how that is answered.
    const answers: number[] = [];
    const front = createServer(async (request, response) => {
      const headers = Object.entries(request.headersDistinct)
        .filter(([name]) => name.startsWith('x-'))
        .map(([name, [value = ''] = []]): [string, string] => [name, value]);
      const body = await text(request);
      // What the merge tells of may come when the server has ended.
      const sent = fetch(`${server.url}${request.url}`, { method: 'POST', headers, body });
      const answer = await sent.catch(() => undefined);
      if (answer !== undefined) answers.push(answer.status);
      response.writeHead(answer?.status ?? 502).end();
    });
    await once(front.listen(0, '127.0.0.1'), 'listening');
    t.after(() => front.close());
    const server = await tasks.serve([], {
      PUBLIC_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      CODE_HOST_ALLOWED_NETWORKS: '127.0.0.1',
      CODE_HOST_ALLOW_HTTP: 'true',
    });
    const call = <Answer>(method: string, path: string, body?: object) =>
      tasks.call<Answer>(server, method, path, body);

    const token = await gitea.newToken('write:repository,write:issue,read:user');
    const connections = `organizations/${workspace}/gitea/connections`;
    const connection = await call<{ id: string }>('POST', connections, { url: gitea.url, token });
    const project = await call<{ id: string }>('POST', 'projects', {
      name: 'Road',
      organization_id: workspace,
      erp_version: '19.0',
      erp_edition: 'community',
    });
    const attached = await call<{ clone_url: string; used_by_tasks: boolean }>(
      'POST',
      `projects/${project.id}/repositories`,
      { host: 'gitea', full_name: 'acme/road', connection_id: connection.id },
    );
    assert.equal(attached.clone_url, `${gitea.url}/acme/road.git`);
    assert.equal(attached.used_by_tasks, true);

    const made = await call<{ id: string }>('POST', `projects/${project.id}/tasks`, {
      message: 'Write notes/road.md',
    });
    const task = `tasks/${made.id}`;
    await tasks.untilStatus(made.id, 'awaiting_approval');
    await call('POST', `${task}/plan/approve`);
    await tasks.untilStatus(made.id, 'ready');
    const opened = await call<{ number: number; url: string; head_sha: string }>(
      'POST',
      `${task}/pull-request`,
    );
    assert.equal(opened.url, `${gitea.url}/acme/road/pulls/${opened.number}`);
    await until(
      'the webhook is registered',
      async () => {
        const rows = await db.many(sql`select from gitea_webhook where host_hook_id is not null`);
        return rows.length === 1;
      },
      60_000,
    );

    const there = await api<{ title: string; head: { sha: string } }>(
      'GET',
      `/repos/acme/road/pulls/${opened.number}`,
    );
    const pull = () =>
      call<{ head_sha: string; checks: { state: string; pending: number } }>(
        'GET',
        `${task}/pull-request`,
      );
    const status = { context: 'ci/tests', state: 'pending' };
    await api('POST', `/repos/acme/road/statuses/${there.head.sha}`, status);
    await until('it runs', async () => (await pull()).checks.pending === 1, 60_000);
    await api('POST', `/repos/acme/road/statuses/${there.head.sha}`, {
      ...status,
      state: 'success',
    });
    await until('they have passed', async () => (await pull()).checks.state === 'passed', 60_000);
    // Forgejo tells of no commit statuses: they are found by polling.
    if (name === 'Gitea') assert.ok(answers.length > 0, 'the statuses were not told of');

    await gitea.newPerson('ada');
    await api('PUT', '/repos/acme/road/collaborators/ada', { permission: 'write' });
    const ada = atGitea({ url: gitea.url, token: await gitea.newToken('all', 'ada') });
    const conversation = `/repos/acme/road/issues/${opened.number}/comments`;
    const answersOf = async () => {
      const all = await api<{ body: string; user: { login: string } }[]>('GET', conversation);
      return all.filter(({ user }) => user.login === 'boss').map(({ body }) => body);
    };
    const answered = async (what: string, count: number) => {
      await until(what, async () => (await answersOf()).length >= count, 120_000);
      await tasks.untilStatus(made.id, 'ready');
    };
    // Forgejo of December 2024 fails at telling of a comment, so there only the review is tried.
    const texts = name === 'Gitea' ? ['@boss Explain it', '@boss Say why'] : ['@boss Say why'];
    if (name === 'Gitea') {
      await ada.api('POST', conversation, { body: texts[0] });
      await answered('the comment is answered', 1);
    }
    await ada.api('POST', `/repos/acme/road/pulls/${opened.number}/reviews`, {
      event: 'COMMENT',
      comments: [{ path: 'notes/road.md', new_position: 1, body: texts.at(-1) }],
    });
    await answered('the review is answered', texts.length);
    const messages = await call<{ gitea_login?: string; text: string }[]>(
      'GET',
      `${task}/messages`,
    );
    const heard = messages.filter(({ gitea_login }) => gitea_login !== undefined);
    assert.deepEqual(
      heard.map(({ gitea_login, text }) => [gitea_login, text.split('\n').at(-1)]),
      texts.map((text) => ['ada', `> ${text}`]),
    );
    await until(
      'the answers are recorded',
      async () => {
        const open = await db.many(sql`select from github_review where state <> 'answered'`);
        return open.length === 0;
      },
      120_000,
    );
    const said = await answersOf();
    assert.equal(said.length, texts.length, 'and each is posted once');
    for (const body of said) assert.match(body, /^@ada This is done\. \[The task\]/);

    // The agent may have committed: then the checks are those of another head, which has none.
    const settled = async () => ['passed', 'none'].includes((await pull()).checks.state);
    await until('its checks have ended', settled, 120_000);
    const { head_sha: expected_head_sha } = await pull();
    const now = await api<{ head: { sha: string } }>(
      'GET',
      `/repos/acme/road/pulls/${opened.number}`,
    );
    assert.equal(expected_head_sha, now.head.sha);
    await call('POST', `${task}/merge`, { expected_head_sha });
    const merge = () =>
      call<{ state: string; merge_commit_sha: string; failure?: object }>('GET', `${task}/merge`);
    await until('merged', async () => (await merge()).state !== 'queued', 60_000);
    const { state, merge_commit_sha, failure } = await merge();
    assert.deepEqual([state, failure], ['merged', undefined]);
    const branch = await api<{ commit: { id: string; message: string } }>(
      'GET',
      '/repos/acme/road/branches/19.0',
    );
    assert.equal(branch.commit.id, merge_commit_sha);
    assert.match(branch.commit.message, /Merged-by: /);
    const file = await api<{ path: string }>('GET', '/repos/acme/road/contents/notes/road.md');
    assert.equal(file.path, 'notes/road.md');
    await until('the merge is told of', () => answers.length > 0);
    assert.deepEqual([...new Set(answers)], [202]);
    server.child.kill('SIGTERM');
    await once(server.child, 'exit');
  });
