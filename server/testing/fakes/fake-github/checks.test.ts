import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf, refusalOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

const fake = await startFakeGithub();
after(() => fake.close());
const { id } = fake.install('acme');
const client = clientOf(fake, await tokenOf(fake, id));
let serial = 0;

async function begin() {
  const repo = `r${++serial}`;
  const repository = await fake.addRepository(`acme/${repo}`);
  const ref = repository.branches.get('main') ?? '';
  return { repository, ref, at: { owner: 'acme', repo, ref } };
}

const RUNS = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
const SUITES = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites';
const STATUS = 'GET /repos/{owner}/{repo}/commits/{ref}/status';
const LOGS = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';

test('a check run goes through every status to every conclusion', async () => {
  const { repository, ref, at } = await begin();
  const read = async () => {
    const { data } = await client.request(RUNS, at);
    return data.check_runs.map(({ status, conclusion }) => [status, conclusion]);
  };
  for (const status of ['queued', 'in_progress', 'waiting', 'requested', 'pending'] as const) {
    fake.check(repository, ref, { name: 'tests', status });
    assert.deepEqual(await read(), [[status, null]]);
  }
  for (const conclusion of [
    ...(['success', 'failure', 'neutral', 'cancelled'] as const),
    ...(['skipped', 'timed_out', 'action_required'] as const),
  ]) {
    fake.check(repository, ref, { name: 'tests', conclusion });
    assert.deepEqual(await read(), [['completed', conclusion]]);
  }
});

test('a run that was begun again is a new one; the latest are shown, or all', async () => {
  const { repository, ref, at } = await begin();
  const first = fake.check(repository, ref, { name: 'tests', conclusion: 'failure' });
  const second = fake.check(repository, ref, { name: 'tests', status: 'in_progress' });
  assert.notEqual(first.id, second.id);
  fake.check(repository, ref, { name: 'lint', conclusion: 'success' });
  const { data } = await client.request(RUNS, at);
  assert.equal(data.total_count, 2);
  const all = await client.paginate(RUNS, { ...at, filter: 'all', per_page: 2 });
  assert.equal(all.length, 3);
  const named = await client.request(RUNS, { ...at, check_name: 'lint' });
  assert.equal(named.data.total_count, 1);
});

test('a suite sums its runs up, and may fail or grow stale without any', async () => {
  const { repository, ref, at } = await begin();
  const read = async () => {
    const { data } = await client.request(SUITES, at);
    return data.check_suites.map(({ status, conclusion }) => [status, conclusion]);
  };
  assert.deepEqual(await read(), []);
  fake.check(repository, ref, { name: 'tests', conclusion: 'success' });
  fake.check(repository, ref, { name: 'lint', status: 'in_progress' });
  assert.deepEqual(await read(), [['in_progress', null]]);
  fake.check(repository, ref, { name: 'lint', conclusion: 'failure' });
  assert.deepEqual(await read(), [['completed', 'failure']]);
  for (const conclusion of ['startup_failure', 'stale'] as const) {
    const other = await begin();
    fake.suite(other.repository, other.ref, conclusion);
    const { data } = await client.request(SUITES, other.at);
    assert.equal(data.check_suites[0]?.conclusion, conclusion);
    assert.equal((await client.request(RUNS, other.at)).data.total_count, 0);
  }
});

test('commit statuses: the last of each context counts, and none is pending', async () => {
  const { repository, ref, at } = await begin();
  const read = async () => {
    const { data } = await client.request(STATUS, at);
    return [data.state, data.total_count];
  };
  assert.deepEqual(await read(), ['pending', 0]);
  const context = 'ci/odoo.sh (production)';
  fake.status(repository, ref, { context, state: 'pending' });
  fake.status(repository, ref, { context: 'other', state: 'success' });
  assert.deepEqual(await read(), ['pending', 2]);
  fake.status(repository, ref, { context, state: 'error', targetUrl: 'https://ci.example/1' });
  assert.deepEqual(await read(), ['failure', 2]);
  fake.status(repository, ref, { context, state: 'success' });
  assert.deepEqual(await read(), ['success', 2]);
});

test('checks are found by branch, too, and a commit that does not exist is refused', async () => {
  const { repository, ref, at } = await begin();
  const branch = 'task/1';
  const head = await fake.commit(repository, { branch, files: { 'a.txt': 'one\n' } });
  fake.check(repository, head, { name: 'tests', conclusion: 'success' });
  const { data } = await client.request(RUNS, { ...at, ref: branch });
  assert.deepEqual(
    data.check_runs.map(({ head_sha }) => head_sha),
    [head],
  );
  assert.equal((await client.request(RUNS, { ...at, ref })).data.total_count, 0);
  const none = await refusalOf(client.request(RUNS, { ...at, ref: '0'.repeat(40) }));
  assert.equal(none.status, 422);
});

test('a log is at another host, which refuses a token and an old address', async () => {
  const { repository, ref, at } = await begin();
  const log = '2026-11-22T10:00:00Z ##[error]1 test failed\n';
  const { id: job_id } = fake.check(repository, ref, { name: 'tests', conclusion: 'failure', log });
  const { data, url } = await client.request(LOGS, { ...at, job_id });
  assert.equal(data, log);
  assert.notEqual(new URL(url).origin, fake.url);
  const redirect = { ...at, job_id, request: { redirect: 'manual' as const } };
  const { status, headers } = await client.request(LOGS, redirect);
  assert.equal(Number(status), 302);
  const address = headers.location ?? '';
  const authorization = 'Bearer ghs_any';
  assert.equal((await fetch(address, { headers: { authorization } })).status, 400);
  const now = fake.state.now;
  try {
    fake.state.now = () => now() + 61_000;
    assert.equal((await fetch(address)).status, 403);
  } finally {
    fake.state.now = now;
  }
});

test('there is no log before the end, of another reporter, or once it was removed', async () => {
  const { repository, ref, at } = await begin();
  const ask = async ({ id: job_id }: { id: number }) =>
    (await refusalOf(client.request(LOGS, { ...at, job_id }))).status;
  const check = (name: string, more: object) => fake.check(repository, ref, { name, ...more });
  assert.equal(await ask(check('open', { status: 'in_progress', log: 'x' })), 404);
  const reporter = { id: 1, slug: 'other-ci' };
  assert.equal(await ask(check('other', { conclusion: 'failure', log: 'x', reporter })), 404);
  assert.equal(await ask(check('removed', { conclusion: 'failure' })), 410);
});

test('checks, statuses and logs each need a permission of their own', async () => {
  const { at } = await begin();
  const blind = clientOf(fake, await tokenOf(fake, id, { permissions: { contents: 'read' } }));
  const needed = async (asked: Promise<unknown>) => {
    const { status, headers } = await refusalOf(asked);
    return [status, headers['x-accepted-github-permissions']];
  };
  assert.deepEqual(await needed(blind.request(RUNS, at)), [403, 'checks=read']);
  assert.deepEqual(await needed(blind.request(SUITES, at)), [403, 'checks=read']);
  assert.deepEqual(await needed(blind.request(STATUS, at)), [403, 'statuses=read']);
  const log = blind.request(LOGS, { ...at, job_id: 1 });
  assert.deepEqual(await needed(log), [403, 'actions=read']);
});
