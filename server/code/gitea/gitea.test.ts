import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pino from 'pino';
import { sql } from '../../db/sql.ts';
import { openSealing } from '../../platform/sealing/sealing.ts';
import { startFakeGitea } from '../../testing/fakes/fake-gitea/server.ts';
import { atGitea } from '../../testing/fixtures/code/gitea.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { REAL_SERVERS, startGitea, type TestGitea } from '../../testing/gitea/start.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { HostError } from '../hosts/host-error.ts';
import { makeRepository } from '../repositories/make-repository.ts';
import { MergeRefused } from '../repositories/merging.ts';
import { fetchBranches, RemoteFailed } from '../repositories/remote.ts';
import { refreshRepositories } from './background.ts';
import { giteaHost } from './code-host.ts';
import { openGitea } from './open-gitea.ts';
import { hookContext } from './sealed-tokens.ts';
import { registerWebhooks } from './webhooks.ts';

/**
 * Gitea as a host of code. What is asked of the server is tried with the fake, and with a real one
 * where there is one, so that the fake answers as the real one does.
 */

const harness = await startHarness({ own: true, env: { CODE_HOST_ALLOW_HTTP: 'true' } });
const { db, fixtures, request, unchanged } = harness;
const sealing = openSealing({ current: SERVER_SECRET }, 'code_hosts');
const bounds = { allowedNetworks: ['127.0.0.1'], allowHttp: true };
const gitea = openGitea(db, sealing, bounds);
const host = giteaHost(gitea);
const log = pino({ level: 'silent' });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);

const fake = await startFakeGitea();
after(fake.close);
const servers: [string, () => Promise<TestGitea>][] = [
  ['the fake', async () => fake],
  ...REAL_SERVERS.map(({ name, folder }) => [name, () => startGitea(folder)] as never),
];

/** A repository of its own, with a connection of the workspace. */
let made = 0;
async function placed(server: TestGitea, token = server.token) {
  const at = atGitea(server);
  made += 1;
  const { id: repositoryId, fullName } = await at.repository(`org${made}`, 'shop');
  await db.many(sql`delete from gitea_connection where url = ${server.url}`);
  const connectionId = await fixtures.giteaConnection(workspace, { url: server.url, token });
  const place = { host: 'gitea', connectionId, repositoryId, fullName, installationId: 0 } as const;
  const open = async (branch: string, files: Record<string, string>) => {
    const head = await at.push(fullName, branch, files);
    const offer = { head: branch, base: 'main', title: 'A change', body: 'Why' };
    return { head, offer, pull: await host.openPull(place, offer) };
  };
  const merge = (number: number, head: string, method: 'merge' | 'squash' = 'merge') =>
    host.mergePull(place, number, {
      head,
      base: 'main',
      branch: '',
      method,
      message: MESSAGE,
    } as never);
  return { ...at, place, fullName, connectionId, open, merge };
}

const MESSAGE = 'A change (#1)\n\nMerged-by: Ada';
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => {
      assert.ok(error instanceof HostError || error instanceof MergeRefused, String(error.stack));
      return error.code;
    },
  );

for (const [name, start] of servers) {
  const started = start();
  if (name !== 'the fake') after(async () => (await started).close());

  test(`${name}: a repository, its branches, and one that it does not have`, async () => {
    const { place, push, fullName } = await placed(await started);
    const head = await push(fullName, 'task/one', { 'a.txt': 'a\n' });
    const read = await host.readRepository(place);
    assert.deepEqual(
      [read.id, read.fullName, read.defaultBranch, read.archived],
      [place.repositoryId, fullName, 'main', false],
    );
    const signal = AbortSignal.timeout(10_000);
    const { items, more } = await host.branchPages(place, signal)(1);
    assert.deepEqual(items.map((each) => each.name).sort(), ['main', 'task/one']);
    assert.equal(items.find((each) => each.name === 'task/one')?.head, head);
    assert.equal(more, false);
    assert.equal(await host.hasBranch(place, 'task/one', signal), true);
    assert.equal(await host.hasBranch(place, 'task', signal), false);
    const unknown = { ...place, repositoryId: 999_999 };
    assert.equal(await codeOf(host.readRepository(unknown)), 'gitea_repository_gone');
  });

  test(`${name}: a pull request is opened once, retargeted and merged with its commit`, async () => {
    const server = await started;
    const { api, place, fullName, open, merge } = await placed(server);
    const { head, offer, pull } = await open('task/one', { 'a.txt': 'a\n' });
    assert.deepEqual([pull.number, pull.state, pull.headSha, pull.base], [1, 'open', head, 'main']);
    assert.equal(pull.url, `${server.url}/${fullName}/pulls/1`);
    assert.equal((await host.openPull(place, offer)).number, 1);
    const lost = host.openPull(place, { ...offer, base: 'nowhere' });
    assert.equal(await codeOf(lost), 'gitea_refused');
    await api('POST', `/repos/${fullName}/branches`, {
      new_branch_name: 'staging',
      old_branch_name: 'main',
    });
    assert.equal((await host.retargetPull(place, 1, 'staging')).base, 'staging');
    assert.equal(await codeOf(merge(1, head)), 'base_changed');
    await host.retargetPull(place, 1, 'main');
    await until('it can be merged', async () => (await host.readPull(place, 1)).mergeable === true);
    const commit = await merge(1, head);
    const branch = await api<{ commit: { id: string; message: string } }>(
      'GET',
      `/repos/${fullName}/branches/main`,
    );
    assert.equal(branch.commit.id, commit);
    assert.equal(branch.commit.message.trim(), MESSAGE);
    const seen = await host.readPull(place, 1);
    assert.deepEqual([seen.state, seen.mergeCommit], ['merged', commit]);
    assert.notEqual(seen.baseSha, commit, 'what it was merged into, without the merge');
    // An attempt that did not hear the answer finds it.
    assert.equal(await merge(1, head), commit);
  });

  test(`${name}: a head that moved, a conflict and a closed one are not merged`, async () => {
    const { api, place, push, fullName, open, merge } = await placed(await started);
    const moved = await open('task/moved', { 'b.txt': 'b\n' });
    const next = await push(fullName, 'task/moved', { 'c.txt': 'c\n' }, 'task/moved');
    await until('it is seen', async () => (await host.readPull(place, 1)).headSha === next);
    assert.equal(await codeOf(merge(1, moved.head)), 'head_changed');
    const conflict = await open('task/conflict', { 'README.md': 'ours\n' });
    await push(fullName, 'main', { 'README.md': 'theirs\n' });
    assert.equal(await codeOf(merge(2, conflict.head)), 'not_mergeable');
    await api('PATCH', `/repos/${fullName}/pulls/2`, { state: 'closed' });
    assert.equal(await codeOf(merge(2, conflict.head)), 'pull_request_closed');
    assert.equal((await host.readPull(place, 1)).state, 'open');
  });

  test(`${name}: commit statuses are checks, the newest of each context`, async () => {
    const { api, place, fullName, open } = await placed(await started);
    const { head } = await open('task/one', { 'a.txt': 'a\n' });
    assert.deepEqual(await host.readChecks(place, head), []);
    const say = (context: string, state: string, target_url = '') =>
      api('POST', `/repos/${fullName}/statuses/${head}`, { context, state, target_url });
    await say('ci/a', 'pending');
    await say('ci/b', 'failure', 'javascript:alert(1)');
    await say('ci/a', 'success', 'https://ci.example.com/1');
    await say('ci/c', 'pending');
    const found = (await host.readChecks(place, head)).sort((a, b) => a.name.localeCompare(b.name));
    assert.deepEqual(
      found.map((each) => [each.name, each.state, each.conclusion, each.url]),
      [
        ['ci/a', 'completed', 'success', 'https://ci.example.com/1'],
        ['ci/b', 'completed', 'failure', null],
        ['ci/c', 'in_progress', null, null],
      ],
    );
  });

  test(`${name}: a token without rights and a wrong one are told apart`, async () => {
    const server = await started;
    const { place, push, fullName } = await placed(
      server,
      await server.newToken('read:repository'),
    );
    await push(fullName, 'task/one', { 'a.txt': 'a\n' });
    const offer = { head: 'task/one', base: 'main', title: 'A change', body: '' };
    assert.equal(await codeOf(host.openPull(place, offer)), 'gitea_permission_missing');
    await db.many(sql`delete from gitea_connection where url = ${server.url}`);
    const wrong = await fixtures.giteaConnection(workspace, { url: server.url, token: 'a1b2' });
    const read = host.readRepository({ ...place, connectionId: wrong });
    assert.equal(await codeOf(read), 'gitea_token_refused');
  });

  test(`${name}: a renamed repository stays the same, and another under its name is not taken for it`, async () => {
    const { api, place, push, fullName, open } = await placed(await started);
    const { pull } = await open('task/one', { 'a.txt': 'a\n' });
    const [org = ''] = fullName.split('/');
    await api('PATCH', `/repos/${fullName}`, { name: 'renamed' });
    await api('POST', `/orgs/${org}/repos`, {
      name: 'shop',
      auto_init: true,
      default_branch: 'main',
    });
    await push(fullName, 'task/one', { 'other.txt': 'x\n' });
    assert.equal((await host.readRepository(place)).fullName, `${org}/renamed`);
    assert.equal((await host.readPull(place, pull.number)).headSha, pull.headSha);
    const { url } = await host.remote(place, 'write');
    assert.match(url, /\/renamed\.git$/);
    await api('DELETE', `/repos/${org}/renamed`);
    assert.equal(await codeOf(host.readPull(place, 1)), 'gitea_repository_gone');
  });
}

/** A project that has attached a repository of the fake over the API, and what tests do with it. */
async function attached() {
  const at = await placed(fake);
  const projectId = await fixtures.project({ organizationId: workspace });
  const attach = (body: object) =>
    request('POST', `/api/projects/${projectId}/repositories`, { key: owner.key, body });
  const wanted = { host: 'gitea', full_name: at.fullName, connection_id: at.connectionId };
  return { ...at, projectId, attach, wanted };
}

test('a repository is attached by the connection of the workspace, once', async () => {
  const { attach, wanted, fullName, place } = await attached();
  const { status, body } = await attach(wanted);
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(
    [body.host, body.full_name, body.default_branch, body.used_by_tasks, body.clone_url],
    ['gitea', fullName, 'main', true, `${fake.url}/${fullName}.git`],
  );
  const again = await unchanged(() => attach(wanted));
  assert.equal(again.status, 422);
  assert.ok(JSON.stringify(again.body).includes('repository_attached'));
  const branches = await request(
    'GET',
    `/api/projects/${body.project_id}/repositories/${body.id}/branches`,
    { key: owner.key },
  );
  assert.deepEqual(
    branches.body.map(({ name }: { name: string }) => name),
    ['main'],
  );
  assert.equal(place.repositoryId > 0, true);
});

test('422 without a connection, with one of another workspace, and for what it does not see', async () => {
  const { attach, wanted } = await attached();
  const other = await fixtures.giteaConnection(await fixtures.workspace(owner), { url: fake.url });
  const cases: [object, string][] = [
    [{ ...wanted, connection_id: undefined }, 'gitea_connection_missing'],
    [{ ...wanted, connection_id: other }, 'gitea_connection_missing'],
    [{ ...wanted, full_name: 'nobody/nothing' }, 'gitea_repository_not_found'],
    [{ ...wanted, full_name: 'library' }, 'repository_name_invalid'],
  ];
  for (const [body, type] of cases) {
    const refused = await unchanged(() => attach(body));
    assert.equal(refused.status, 422);
    assert.ok(JSON.stringify(refused.body).includes(type), JSON.stringify(refused.body));
  }
});

test('a removed connection leaves the repository, which goes on with the next one to the server', async () => {
  const { attach, wanted, connectionId } = await attached();
  const { body } = await attach(wanted);
  const at = `/api/organizations/${workspace}/gitea/connections`;
  const removed = await request('DELETE', `${at}/${connectionId}`, { key: owner.key });
  assert.equal(removed.status, 204);
  const list = async () => {
    const all = await request('GET', `/api/projects/${body.project_id}/repositories`, {
      key: owner.key,
    });
    return all.body.find(({ id }: { id: string }) => id === body.id).unavailable_reason;
  };
  assert.equal(await list(), 'not_connected');
  const made = await request('POST', at, {
    key: owner.key,
    body: { url: `${fake.url}/`, token: fake.token },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(await list(), undefined);
});

test('a connection shows no token, and the same address again replaces it', async () => {
  const at = `/api/organizations/${workspace}/gitea/connections`;
  const url = 'https://git.example.com/forge';
  const create = (token: string) =>
    request('POST', at, { key: owner.key, body: { url: `${url}/`, token } });
  const first = await create('first-token');
  assert.equal(first.status, 201, JSON.stringify(first.body));
  const second = await create('second-token');
  assert.equal(second.body.id, first.body.id);
  assert.equal((await gitea.server(first.body.id)).token, 'second-token');
  const list = await request('GET', at, { key: owner.key });
  assert.ok(!/first-token|second-token/.test(JSON.stringify([list.body, second.body])));
  assert.equal(list.body.filter((each: { url: string }) => each.url === url).length, 1);
  const trail = await db.many(sql`
    select from audit_event where target_id = ${first.body.id} and action = 'gitea.connect'`);
  assert.equal(trail.length, 2);
  for (const wrong of ['git.example.com', 'https://a:b@git.example.com', 'file:///etc/passwd']) {
    const refused = await unchanged(() =>
      request('POST', at, { key: owner.key, body: { url: wrong, token: 'x' } }),
    );
    assert.equal(refused.status, 422, wrong);
  }
  const spaced = await unchanged(() => create('two words'));
  assert.equal(spaced.status, 422);
});

test('a webhook is registered once, with a secret of its own; a lost answer makes no second one', async () => {
  const { attach, wanted, place } = await attached();
  const { body } = await attach(wanted);
  const work = { gitea, sealing, publicUrl: 'http://127.0.0.1:9', log };
  await registerWebhooks(db, work);
  await registerWebhooks(db, work);
  const hooks = () => [...(fake.state.repositories.get(place.repositoryId)?.hooks.values() ?? [])];
  assert.equal(hooks().length, 1);
  assert.equal(hooks()[0]?.url, `http://127.0.0.1:9/webhooks/gitea/${body.id}`);
  await db.many(sql`
    update gitea_webhook set host_hook_id = null, not_before = now() where repository_id = ${body.id}`);
  await registerWebhooks(db, work);
  assert.equal(hooks().length, 1);
});

test('a webhook counts if it is signed: forged, of another repository and empty ones do not', async () => {
  const { attach, wanted, projectId } = await attached();
  const { body } = await attach(wanted);
  await registerWebhooks(db, { gitea, sealing, publicUrl: 'http://127.0.0.1:9', log });
  const taskId = await fixtures.task(projectId, owner);
  await db.many(sql`
    insert into pull_request (task_id, repository_id, number, base, title, body, url, head_sha,
                              opened_by_user_id, looked_at)
    values (${taskId}, ${body.id}, 1, 'main', 'x', '', 'http://127.0.0.1/x', ${'a'.repeat(40)},
            ${owner.id}, now())`);
  const isDue = async () =>
    (await db.many(sql`select from pull_request where task_id = ${taskId} and looked_at is null`))
      .length === 1;
  const row = await db.one<{ sealed: Buffer; keyId: string }>(sql`
    select secret as sealed, secret_key_id as "keyId" from gitea_webhook
     where repository_id = ${body.id}`);
  const secret = sealing.open(row, hookContext(body.id));
  const payload = JSON.stringify({ ref: 'refs/heads/main' });
  const signature = createHmac('sha256', secret).update(payload).digest('hex');
  const send = (id: string, headers: Record<string, string>, text = payload) =>
    fetch(`${harness.url}/webhooks/gitea/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    });
  const other = crypto.randomUUID();
  const forged: [string, Record<string, string>, string?][] = [
    [body.id, {}],
    [body.id, { 'x-gitea-signature': 'f'.repeat(64) }],
    [body.id, { 'x-gitea-signature': signature }, `${payload} `],
    [other, { 'x-gitea-signature': signature }],
    ['none', { 'x-gitea-signature': signature }],
  ];
  for (const [id, headers, text] of forged)
    assert.equal((await unchanged(() => send(id, headers, text))).status, 400);
  assert.equal(await isDue(), false);
  assert.equal((await send(body.id, { 'x-gitea-signature': signature })).status, 202);
  assert.equal(await isDue(), true);
  // Sent again, it asks for no more than the first.
  const replayed = await unchanged(() =>
    send(body.id, { 'x-hub-signature-256': `sha256=${signature}` }),
  );
  assert.equal(replayed.status, 202);
});

test('what a repository is called, and why it cannot be used, is looked at now and then', async () => {
  const { attach, wanted, api, fullName } = await attached();
  const { body } = await attach(wanted);
  const look = async () => {
    await db.many(sql`update repository set looked_at = '-infinity' where id = ${body.id}`);
    await refreshRepositories(db, gitea, log);
    return db.one<{ full_name: string; unavailable_reason: string | null }>(sql`
      select full_name, unavailable_reason from repository where id = ${body.id}`);
  };
  await api('PATCH', `/repos/${fullName}`, { name: 'later' });
  const name = `${fullName.split('/')[0]}/later`;
  assert.deepEqual(await look(), { full_name: name, unavailable_reason: null });
  const whole = fake.state.tokens.get(fake.token) ?? assert.fail();
  fake.state.tokens.delete(fake.token);
  assert.equal((await look()).unavailable_reason, 'token_refused');
  fake.state.tokens.set(fake.token, whole);
  assert.equal((await look()).unavailable_reason, null);
  await api('DELETE', `/repos/${name}`);
  assert.equal((await look()).unavailable_reason, 'repository_gone');
});

test('a server that leads inside, answers without end, in HTML or with a fault gets nothing', async () => {
  const { place } = await placed(fake);
  const ask = async (answer: (response: ServerResponse) => void) => {
    fake.instead.push((_request, response) => answer(response));
    return codeOf(host.readRepository(place));
  };
  const inside = { location: 'http://169.254.169.254/latest/meta-data' };
  assert.equal(await ask((to) => to.writeHead(302, inside).end()), 'gitea_unavailable');
  const endless = (to: ServerResponse) => {
    to.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!to.destroyed && to.write(Buffer.alloc(1024 * 1024, 32)));
    };
    to.on('drain', more).on('error', () => {});
    more();
  };
  assert.equal(await ask(endless), 'gitea_unavailable');
  assert.equal(await ask((to) => to.writeHead(200).end('<html>')), 'gitea_unavailable');
  assert.equal(await ask((to) => to.writeHead(200).end('[]')), 'gitea_unavailable');
  assert.equal(await ask((to) => to.writeHead(502).end()), 'gitea_unavailable');
  assert.equal(
    await ask((to) => to.writeHead(429, { 'retry-after': '7' }).end()),
    'gitea_rate_limited',
  );
  const odd = { id: place.repositoryId, full_name: '../../etc', default_branch: 'main' };
  assert.equal(await ask((to) => to.writeHead(200).end(JSON.stringify(odd))), 'gitea_unavailable');
});

test('no address that the operator has not opened is connected to, by the API and by git', async () => {
  const { place } = await placed(fake);
  const strict = openGitea(db, sealing, { allowedNetworks: [], allowHttp: true });
  const asked = fake.requests.length;
  assert.equal(await codeOf(giteaHost(strict).readRepository(place)), 'gitea_refused');
  await assert.rejects(giteaHost(strict).readRepository(place), /does not send requests to/);
  assert.equal(fake.requests.length, asked);
  const remote = await host.remote(place, 'write');
  const gitDir = join(await temporaryFolder(), 'copy.git');
  await makeRepository(gitDir);
  const all = { prefix: 'task/', into: 'refs/heads/task/' };
  await fetchBranches(gitDir, remote, all);
  const { url } = remote;
  const refused = { ...remote, way: strict.way(url) };
  await assert.rejects(fetchBranches(gitDir, refused, all), RemoteFailed);
  const elsewhere = { ...remote, way: gitea.way('http://127.0.0.1:9/x.git') };
  await assert.rejects(fetchBranches(gitDir, elsewhere, all), RemoteFailed);
});
