import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gitIn } from './git/bare.ts';
import { clientOf, refusalOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';
import type { Repository } from './state.ts';

const fake = await startFakeGithub();
after(() => fake.close());
const { id } = fake.install('acme');
const client = clientOf(fake, await tokenOf(fake, id));
let serial = 0;

const MERGE = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';

/** A pull request of two commits. */
async function opened(more: { draft?: boolean } = {}) {
  const repo = `r${++serial}`;
  const repository = await fake.addRepository(`acme/${repo}`);
  const branch = 'task/1';
  await fake.commit(repository, { branch, files: { 'a.txt': 'one\n' }, message: 'One' });
  const head = await fake.commit(repository, {
    branch,
    files: { 'b.txt': 'two\n' },
    message: 'Two',
  });
  const at = { owner: 'acme', repo, pull_number: 1 };
  const wanted = { owner: 'acme', repo, title: 'Numbers', head: branch, base: 'main', ...more };
  await client.request('POST /repos/{owner}/{repo}/pulls', wanted);
  return { repository, head, at, branch };
}

const logOf = async ({ gitDir }: Repository) =>
  (await gitIn(gitDir, ['log', '--topo-order', '--format=%s', 'main'])).split('\n');

async function unchanged({ repository }: { repository: Repository }, asked: Promise<unknown>) {
  const before = repository.branches.get('main');
  const refusal = await refusalOf(asked);
  assert.equal(await gitIn(repository.gitDir, ['rev-parse', 'main']), before);
  return [refusal.status, refusal.message];
}

test('200: each method merges with git; the pull request is closed and merged', async () => {
  const subjects = {
    merge: ['Merge pull request #1 from acme/task/1', 'Two', 'One', 'Begin'],
    squash: ['Numbers (#1)', 'Begin'],
    rebase: ['Two', 'One', 'Begin'],
  };
  for (const merge_method of ['merge', 'squash', 'rebase'] as const) {
    const { repository, head, at } = await opened();
    const { data } = await client.request(MERGE, { ...at, sha: head, merge_method });
    assert.equal(data.merged, true);
    assert.deepEqual(await logOf(repository), subjects[merge_method]);
    const shown = (await client.request(PULL, at)).data;
    assert.deepEqual(
      [shown.state, shown.merged, shown.merge_commit_sha],
      ['closed', true, data.sha],
    );
    assert.equal(repository.branches.get('main'), data.sha);
  }
});

test('409: the head was modified', async () => {
  const pull = await opened();
  const { repository, head, at, branch } = pull;
  await fake.commit(repository, { branch, files: { 'c.txt': 'three\n' } });
  const said = await unchanged(pull, client.request(MERGE, { ...at, sha: head }));
  assert.deepEqual(said, [409, 'Head branch was modified. Review and try the merge again.']);
});

test('405 that is final: conflicts, closed or merged before', async () => {
  const pull = await opened();
  const { repository, at } = pull;
  const final = [405, 'Pull Request is not mergeable'];
  await fake.commit(repository, { files: { 'a.txt': 'other\n' } });
  assert.deepEqual(await unchanged(pull, client.request(MERGE, at)), final);
  const again = await opened();
  await client.request(MERGE, again.at);
  assert.deepEqual(await unchanged(again, client.request(MERGE, again.at)), final);
});

test('405 that is transient: the base was modified, and the next attempt merges', async () => {
  const pull = await opened();
  fake.fault({ match: 'PUT /repos/acme/:repo/pulls/:number/merge', kind: 'baseModified' });
  const said = await unchanged(pull, client.request(MERGE, pull.at));
  assert.deepEqual(said, [405, 'Base branch was modified. Review and try the merge again.']);
  assert.equal((await client.request(MERGE, pull.at)).data.merged, true);
});

test('405 of a protected branch, until the required check has passed', async () => {
  const pull = await opened();
  const { repository, head, at } = pull;
  fake.protect(repository, 'main', ['tests']);
  const refused = async (word: string) => {
    const said = await unchanged(pull, client.request(MERGE, at));
    assert.deepEqual(said, [405, `Required status check "tests" is ${word}.`]);
  };
  await refused('expected');
  fake.check(repository, head, { name: 'tests', status: 'in_progress' });
  await refused('pending');
  fake.check(repository, head, { name: 'tests', conclusion: 'failure' });
  await refused('failing');
  fake.check(repository, head, { name: 'tests', conclusion: 'success' });
  assert.equal((await client.request(MERGE, at)).data.merged, true);
});

test('405: a draft', async () => {
  const pull = await opened({ draft: true });
  const said = await unchanged(pull, client.request(MERGE, pull.at));
  assert.deepEqual(said, [405, 'Pull Request is still a draft']);
});

test('403, 404, 422: no permission, no pull request, no such method', async () => {
  const pull = await opened();
  const reading = { permissions: { contents: 'read' as const, pull_requests: 'write' as const } };
  const reader = clientOf(fake, await tokenOf(fake, id, reading));
  assert.deepEqual(await unchanged(pull, reader.request(MERGE, pull.at)), [
    403,
    'Resource not accessible by integration',
  ]);
  const none = client.request(MERGE, { ...pull.at, pull_number: 9 });
  assert.deepEqual(await unchanged(pull, none), [404, 'Not Found']);
  const odd = client.request(MERGE, { ...pull.at, merge_method: 'octopus' as 'merge' });
  assert.deepEqual(await unchanged(pull, odd), [422, 'Validation Failed']);
});

test('of two who merge into a branch at once, both come through or one asks again', async () => {
  const { repository, at } = await opened();
  await fake.commit(repository, {
    branch: 'task/2',
    files: { 'c.txt': 'three\n' },
    message: 'Three',
  });
  const second = { ...at, title: 'Second', head: 'task/2', base: 'main' };
  await client.request('POST /repos/{owner}/{repo}/pulls', second);
  const merges = [1, 2].map((pull_number) => client.request(MERGE, { ...at, pull_number }));
  for (const [i, { status }] of (await Promise.allSettled(merges)).entries())
    if (status === 'rejected') await client.request(MERGE, { ...at, pull_number: i + 1 });
  const subjects = await logOf(repository);
  for (const each of ['One', 'Two', 'Three']) assert.ok(subjects.includes(each), each);
});

test('what a person has merged with git counts as merged', async () => {
  const { repository, head, at } = await opened();
  await gitIn(repository.gitDir, ['update-ref', 'refs/heads/main', head]);
  await fake.commit(repository, { branch: 'other', files: { 'x.txt': 'x\n' } });
  const { data } = await client.request(PULL, at);
  assert.deepEqual([data.state, data.merged], ['closed', true]);
});
