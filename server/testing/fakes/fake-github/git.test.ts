import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { folder, git, gitIn } from '../../fixtures/code/git-client.ts';
import { clientOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

/** Real git clones, fetches and pushes with the tokens of installations. */

const fake = await startFakeGithub();
const home = await folder();
after(async () => {
  await fake.close();
  await rm(home, { recursive: true, force: true });
});
const { id } = fake.install('acme');
let serial = 0;

const withToken = (token: string) => {
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  return ['-c', `http.extraHeader=Authorization: Basic ${credentials}`];
};

async function cloned() {
  const repo = `r${++serial}`;
  const repository = await fake.addRepository(`acme/${repo}`);
  const token = await tokenOf(fake, id);
  const tree = join(home, repo);
  const address = `${fake.url}/acme/${repo}.git`;
  await git(home, ...withToken(token), 'clone', '--quiet', address, tree);
  return { repository, token, tree, address, at: { owner: 'acme', repo } };
}

async function commit(tree: string, branch: string) {
  await git(tree, 'switch', '--quiet', '--create', branch);
  await writeFile(join(tree, 'a.txt'), 'one\n');
  await git(tree, 'add', '.');
  await git(tree, 'commit', '--quiet', '--message', 'One');
  return git(tree, 'rev-parse', 'HEAD');
}

test('a push with a token arrives, and the API knows of it', async () => {
  const { tree, token, at } = await cloned();
  const head = await commit(tree, 'task/1');
  await git(tree, ...withToken(token), 'push', '--quiet', 'origin', 'task/1');
  const { data } = await clientOf(fake, token).request(
    'GET /repos/{owner}/{repo}/branches/{branch}',
    { ...at, branch: 'task/1' },
  );
  assert.equal(data.commit.sha, head);
  assert.equal(data.commit.commit.message, 'One');
});

test('a fetch gets what was committed at GitHub, also by the name of a commit', async () => {
  const { tree, token, repository } = await cloned();
  const made = await fake.commit(repository, { files: { 'b.txt': 'two\n' } });
  await git(tree, ...withToken(token), 'fetch', '--quiet', 'origin', made);
  assert.equal(await git(tree, 'rev-parse', 'FETCH_HEAD'), made);
});

test('a token in the address works as well, as a person would use it', async () => {
  const { address, token } = await cloned();
  const listed = await git(
    home,
    'ls-remote',
    address.replace('://', `://x-access-token:${token}@`),
    'refs/heads/main',
  );
  assert.match(listed, /^[0-9a-f]{40}\trefs\/heads\/main$/);
});

test('no token, a wrong one, one of another installation, or one that may only read', async () => {
  const { tree, address, repository } = await cloned();
  await commit(tree, 'task/1');
  const before = [...repository.branches];
  const stranger = await tokenOf(fake, fake.install('stranger').id);
  const reader = await tokenOf(fake, id, { permissions: { contents: 'read' } });
  const elsewhere = await fake.addRepository('acme/elsewhere');
  const narrowed = await tokenOf(fake, id, { repository_ids: [elsewhere.id] });
  const none = await gitIn(home, 'ls-remote', address);
  assert.match(none.text, /could not read Username/);
  const named = address.replace('://', '://x-access-token:ghs_wrong@');
  assert.match((await gitIn(home, 'ls-remote', named)).text, /Invalid username or token/);
  for (const token of [stranger, narrowed]) {
    const { ok, text } = await gitIn(home, ...withToken(token), 'ls-remote', address);
    assert.equal(ok, false);
    assert.match(text, /repository '.*' not found/);
  }
  await git(home, ...withToken(reader), 'ls-remote', address);
  const pushed = await gitIn(tree, ...withToken(reader), 'push', 'origin', 'task/1');
  assert.match(pushed.text, /error: 403|denied to/);
  assert.deepEqual([...repository.branches], before);
});

test('a workflow is pushed with the permission for it only, and nothing to a protected branch', async () => {
  const { tree, token, repository } = await cloned();
  await git(tree, 'switch', '--quiet', '--create', 'task/1');
  await mkdir(join(tree, '.github', 'workflows'), { recursive: true });
  await writeFile(join(tree, '.github', 'workflows', 'ci.yml'), 'on: push\n');
  await git(tree, 'add', '.');
  await git(tree, 'commit', '--quiet', '--message', 'Workflow');
  const push = (with_: string, ref: string) =>
    gitIn(tree, ...withToken(with_), 'push', 'origin', ref);
  const refused = await push(token, 'task/1');
  assert.equal(refused.ok, false);
  assert.match(
    refused.text,
    /refusing to allow a GitHub App to create or update workflow `.github/,
  );
  assert.equal(repository.branches.has('task/1'), false);
  fake.grant(id, { workflows: 'write' });
  const strong = await tokenOf(fake, id);
  assert.equal((await push(strong, 'task/1')).ok, true);
  fake.protect(repository, 'main', []);
  assert.match((await push(strong, 'task/1:main')).text, /GH006: Protected branch update failed/);
});

test('a push is lost before it is executed, or its answer after', async () => {
  for (const [kind, arrives] of [
    ...([
      ['dropBefore', false],
      ['502before', false],
    ] as const),
    ...([
      ['dropAfter', true],
      ['502after', true],
    ] as const),
  ] as const) {
    const { tree, token, repository, at } = await cloned();
    const head = await commit(tree, 'task/1');
    // Git's own client sends a request once more when a connection that it has used is reset.
    fake.fault({ match: `POST /acme/${at.repo}.git/git-receive-pack`, kind, times: 2 });
    const push = () => gitIn(tree, ...withToken(token), 'push', 'origin', 'task/1');
    assert.equal((await push()).ok, false, kind);
    assert.equal(repository.branches.get('task/1'), arrives ? head : undefined, kind);
    fake.clearFaults();
    assert.equal((await push()).ok, true, kind);
    assert.equal(repository.branches.get('task/1'), head);
  }
});

test('the references of pull requests are fetched, not pushed', async () => {
  const { tree, token, at } = await cloned();
  const head = await commit(tree, 'task/1');
  await git(tree, ...withToken(token), 'push', '--quiet', 'origin', 'task/1');
  const client = clientOf(fake, token);
  const wanted = { ...at, title: 'One', head: 'task/1', base: 'main' };
  await client.request('POST /repos/{owner}/{repo}/pulls', wanted);
  await git(tree, ...withToken(token), 'fetch', '--quiet', 'origin', 'refs/pull/1/head');
  assert.equal(await git(tree, 'rev-parse', 'FETCH_HEAD'), head);
  const pushed = await gitIn(tree, ...withToken(token), 'push', 'origin', 'HEAD:refs/pull/9/head');
  assert.match(pushed.text, /deny updating a hidden ref/);
});
