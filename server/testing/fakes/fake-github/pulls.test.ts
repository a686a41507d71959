import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf, refusalOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

const fake = await startFakeGithub();
after(() => fake.close());
const { id } = fake.install('acme');
const client = clientOf(fake, await tokenOf(fake, id));
let serial = 0;

/** A repository with a branch that has a commit of its own. */
async function begin(branch = 'task/1') {
  const repo = `r${++serial}`;
  const repository = await fake.addRepository(`acme/${repo}`);
  const head = await fake.commit(repository, { branch, files: { 'a.txt': 'one\n' } });
  return { repository, head, branch, at: { owner: 'acme', repo } };
}

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = `${PULLS}/{pull_number}` as const;

test('branches and references have slashes in their names', async () => {
  const { at, branch, head } = await begin('task/with/slashes');
  const branches = await client.paginate('GET /repos/{owner}/{repo}/branches', {
    ...at,
    per_page: 1,
  });
  assert.deepEqual(
    branches.map(({ name }) => name),
    ['main', branch],
  );
  const one = await client.request('GET /repos/{owner}/{repo}/branches/{branch}', {
    ...at,
    branch,
  });
  assert.deepEqual([one.data.name, one.data.commit.sha], [branch, head]);
  const ref = await client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...at,
    ref: `heads/${branch}`,
  });
  assert.deepEqual([ref.data.ref, ref.data.object.sha], [`refs/heads/${branch}`, head]);
  const none = { ...at, branch: 'none' };
  const missing = client.request('GET /repos/{owner}/{repo}/branches/{branch}', none);
  assert.equal((await refusalOf(missing)).message, 'Branch not found');
});

test('a pull request is opened once for two branches', async () => {
  const { at, branch: head } = await begin();
  const wanted = { ...at, title: 'One', head, base: 'main', body: 'Text' };
  const { status, data } = await client.request(`POST ${PULLS}`, wanted);
  assert.deepEqual([status, data.number, data.state, data.mergeable], [201, 1, 'open', null]);
  assert.equal(data.user.type, 'Bot');
  const again = await refusalOf(client.request(`POST ${PULLS}`, wanted));
  assert.deepEqual([again.status, again.message], [422, 'Validation Failed']);
  const listed = await client.request(`GET ${PULLS}`, { ...at, head: `acme:${head}` });
  assert.deepEqual(
    listed.data.map(({ number }) => number),
    [1],
  );
});

test('a pull request needs a title, both branches, and commits between them', async () => {
  const { at, branch: head } = await begin();
  const good = { ...at, title: 'One', head, base: 'main' };
  for (const wrong of [{ title: ' ' }, { head: 'none' }, { base: 'none' }, { head: 'main' }]) {
    const { status } = await refusalOf(client.request(`POST ${PULLS}`, { ...good, ...wrong }));
    assert.equal(status, 422, JSON.stringify(wrong));
  }
  assert.equal((await client.request(`GET ${PULLS}`, { ...at, state: 'all' })).data.length, 0);
});

test('mergeable is null until it is computed, and again when a branch has moved', async () => {
  const { at, branch: head, repository } = await begin();
  await client.request(`POST ${PULLS}`, { ...at, title: 'One', head, base: 'main' });
  const read = async () => {
    const { data } = await client.request(`GET ${PULL}`, { ...at, pull_number: 1 });
    return [data.mergeable, data.mergeable_state];
  };
  assert.deepEqual(await read(), [true, 'clean']);
  await fake.commit(repository, { files: { 'a.txt': 'other\n' } });
  assert.deepEqual(await read(), [null, 'unknown']);
  assert.deepEqual(await read(), [false, 'dirty']);
});

test('a pull request is listed by head and state, shows its files, and follows its branch', async () => {
  const { at, branch: head, repository } = await begin();
  await client.request(`POST ${PULLS}`, { ...at, title: 'One', head, base: 'main' });
  const files = { 'b.txt': 'two\nlines\n', 'README.md': null };
  const moved = await fake.commit(repository, { branch: head, files });
  const { data } = await client.request(`GET ${PULL}`, { ...at, pull_number: 1 });
  assert.deepEqual([data.head.sha, data.commits, data.changed_files], [moved, 2, 3]);
  const shown = await client.paginate(`GET ${PULL}/files`, { ...at, pull_number: 1, per_page: 2 });
  assert.deepEqual(
    shown.map(({ filename, status, additions }) => [filename, status, additions]),
    [
      ['README.md', 'removed', 0],
      ['a.txt', 'added', 1],
      ['b.txt', 'added', 2],
    ],
  );
  const other = await client.request(`GET ${PULLS}`, { ...at, head: 'acme:other', state: 'all' });
  assert.equal(other.data.length, 0);
});

test('a pull request is changed, closed and opened again; without its branch it stays closed', async () => {
  const { at, branch: head, repository } = await begin();
  await client.request(`POST ${PULLS}`, { ...at, title: 'One', head, base: 'main' });
  const change = (body: { title?: string; state?: 'open' | 'closed'; base?: string }) =>
    client.request(`PATCH ${PULL}`, { ...at, pull_number: 1, ...body });
  const { data } = await change({ title: 'Two', state: 'closed' });
  assert.deepEqual([data.title, data.state], ['Two', 'closed']);
  assert.ok(data.closed_at);
  assert.equal((await change({ state: 'open' })).data.state, 'open');
  assert.equal((await refusalOf(change({ base: 'none' }))).status, 422);
  await fake.deleteBranch(repository, head);
  const closed = await client.request(`GET ${PULL}`, { ...at, pull_number: 1 });
  assert.deepEqual([closed.data.state, closed.data.merged], ['closed', false]);
  assert.equal((await refusalOf(change({ state: 'open' }))).status, 422);
});

test('a missing permission is refused, and the header names it', async () => {
  const { at, branch: head } = await begin();
  const narrowed = { permissions: { pull_requests: 'read' as const } };
  const reader = clientOf(fake, await tokenOf(fake, id, narrowed));
  await reader.request(`GET ${PULLS}`, at);
  const wanted = { ...at, title: 'One', head, base: 'main' };
  const { status, message, headers } = await refusalOf(reader.request(`POST ${PULLS}`, wanted));
  assert.deepEqual([status, message], [403, 'Resource not accessible by integration']);
  assert.equal(headers['x-accepted-github-permissions'], 'pull_requests=write');
});

test('a public repository of anyone is read, though no installation can see it', async () => {
  const repository = await fake.addRepository('public/one', { private: false });
  await fake.commit(repository, { branch: 'other', files: { 'a.txt': 'one\n' } });
  const at = { owner: 'public', repo: 'one' };
  const { data } = await client.request('GET /repos/{owner}/{repo}', at);
  assert.equal(data.private, false);
  const opened = client.request(`POST ${PULLS}`, {
    ...at,
    title: 'No',
    head: 'other',
    base: 'main',
  });
  assert.equal((await refusalOf(opened)).status, 403);
});
