import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { until } from '../../harness/until.ts';
import { appOf, clientOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

/** Webhooks arrive at a receiver that checks them as octokit does. */

const fake = await startFakeGithub();
const { webhooks } = appOf(fake);
interface Received {
  id: string;
  name: string;
  payload: {
    action?: string;
    ref?: string;
    head_commit?: { id: string };
    pull_request?: { merged: boolean };
  };
}
let received: Received[] = [];
let status = 202;

const receiver = createServer(async (request, response) => {
  const header = (name: string) => String(request.headers[name]);
  const [id, name] = [header('x-github-delivery'), header('x-github-event')];
  const payload = await text(request);
  if (!(await webhooks.verify(payload, header('x-hub-signature-256'))))
    return response.writeHead(401).end();
  received.push({ id, name, payload: JSON.parse(payload) });
  response.writeHead(status).end();
});

before(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  fake.webhook(`http://127.0.0.1:${port}/webhooks/github`);
});
beforeEach(async () => {
  fake.automatic();
  await fake.deliver();
  received = [];
});
after(async () => {
  await fake.close();
  receiver.closeAllConnections();
  receiver.close();
});

const names = () =>
  received.map(({ name, payload }) => (payload.action ? `${name}.${payload.action}` : name));

let serial = 0;
async function begin() {
  const owner = `acme${++serial}`;
  const repository = await fake.addRepository(`${owner}/one`);
  const { id } = fake.install(owner);
  await fake.deliver();
  received = [];
  return { id, repository, at: { owner, repo: 'one' } };
}

test('an installation from its creation to its end', async () => {
  const first = await fake.addRepository('life/first');
  const { id } = fake.install('life', { repositories: [first] });
  const second = await fake.addRepository('life/second');
  fake.select(id, [second]);
  fake.grant(id, { workflows: 'write' });
  fake.suspend(id);
  fake.unsuspend(id);
  fake.uninstall(id);
  await fake.deliver();
  assert.deepEqual(names(), [
    'installation.created',
    'installation_repositories.added',
    'installation_repositories.removed',
    'installation.new_permissions_accepted',
    'installation.suspend',
    'installation.unsuspend',
    'installation.deleted',
  ]);
});

test('a pull request from the push to the merge', async () => {
  const { id, repository, at } = await begin();
  const client = clientOf(fake, await tokenOf(fake, id));
  const branch = 'task/1';
  await fake.commit(repository, { branch, files: { 'a.txt': 'one\n' } });
  const wanted = { ...at, title: 'One', head: branch, base: 'main' };
  await client.request('POST /repos/{owner}/{repo}/pulls', wanted);
  const head = await fake.commit(repository, { branch, files: { 'a.txt': 'two\n' } });
  fake.check(repository, head, { name: 'tests', status: 'in_progress' });
  fake.check(repository, head, { name: 'tests', conclusion: 'success' });
  fake.status(repository, head, { context: 'ci', state: 'success' });
  const pull = { ...at, pull_number: 1 };
  await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...pull,
    title: 'Two',
  });
  await client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', pull);
  const deployment = fake.deploy(repository, { ref: 'main' });
  fake.deployStatus(repository, deployment, 'success');
  await fake.deliver();
  assert.deepEqual(names(), [
    'push',
    'pull_request.opened',
    'push',
    'pull_request.synchronize',
    'check_run.created',
    'check_run.completed',
    'check_suite.completed',
    'status',
    'pull_request.edited',
    'pull_request.closed',
    'push',
    'deployment.created',
    'deployment_status.created',
  ]);
  assert.equal(received[9]?.payload.pull_request?.merged, true);
});

test('a repository is renamed, archived, transferred and deleted', async () => {
  const { repository } = await begin();
  fake.rename(repository, 'two');
  fake.archive(repository);
  fake.install('elsewhere');
  fake.transfer(repository, 'elsewhere');
  fake.removeRepository(repository);
  await fake.deliver();
  assert.deepEqual(names(), [
    'repository.renamed',
    'repository.archived',
    'installation.created',
    'installation_repositories.removed',
    'repository.transferred',
    'installation_repositories.added',
    'repository.deleted',
    'installation_repositories.removed',
  ]);
});

test('a push names its branch and its last commit', async () => {
  const { repository } = await begin();
  await fake.commit(repository, { files: { 'a.txt': 'one\n', 'b.txt': 'two\n' } });
  await fake.deliver();
  assert.deepEqual(names(), ['push']);
  const { ref, head_commit } = received[0]?.payload ?? {};
  const head = repository.branches.get('main');
  assert.deepEqual([ref, head_commit?.id], ['refs/heads/main', head]);
});

test('events are sent as they happen, doubled, and lost without another attempt', async () => {
  const { repository } = await begin();
  fake.automatic({ duplicate: 2 });
  fake.loseEvents(1);
  fake.deploy(repository, { ref: 'main', environment: 'lost' });
  fake.deploy(repository, { ref: 'main', environment: 'doubled' });
  await until('both copies have arrived', () => received.length === 2);
  assert.equal(received[0]?.id, received[1]?.id);
  assert.deepEqual(await fake.deliver(), []);
  const lost = fake.state.events.at(-2);
  const [sent] = await fake.deliver({ order: [lost?.id ?? ''] });
  assert.deepEqual([sent?.id, sent?.status], [lost?.id, 202]);
});

test('what was refused is sent again on demand, in any order', async () => {
  const { repository } = await begin();
  for (const environment of ['one', 'two', 'three'])
    fake.deploy(repository, { ref: 'main', environment });
  status = 500;
  const refused = await fake.deliver();
  status = 202;
  assert.deepEqual(
    refused.map((each) => each.status),
    [500, 500, 500],
  );
  const again = await fake.deliver({ order: 'newest' });
  assert.deepEqual(
    again.map(({ id }) => id),
    refused.map(({ id }) => id).reverse(),
  );
  const all = await fake.deliver({
    order: 'shuffled',
    duplicate: 3,
    again: true,
    types: ['deployment'],
  });
  assert.equal(all.length % 3, 0);
  assert.ok(all.length >= 9);
});

test('a wrong secret is noticed', async () => {
  await begin();
  const event = fake.state.events.at(-1);
  assert.ok(event);
  const { body, headers } = await fake.sign(event, 'wrong');
  assert.equal(await webhooks.verify(body, headers['x-hub-signature-256'] ?? ''), false);
});
