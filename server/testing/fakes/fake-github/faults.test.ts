import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { appOf, clientOf, refusalOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

/** Limits, and what goes wrong between a client and GitHub. */

const fake = await startFakeGithub();
after(() => fake.close());
let serial = 0;

async function begin() {
  const owner = `acme${++serial}`;
  const { id } = fake.install(owner);
  const repository = await fake.addRepository(`${owner}/one`);
  await fake.commit(repository, { branch: 'task/1', files: { 'a.txt': 'one\n' } });
  const client = clientOf(fake, await tokenOf(fake, id));
  return { id, repository, client, at: { owner, repo: 'one' } };
}

const REPOSITORY = 'GET /repos/{owner}/{repo}';
const PULLS = '/repos/{owner}/{repo}/pulls';
const wanted = { title: 'One', head: 'task/1', base: 'main' };

test('every answer counts down the limit of its installation', async () => {
  const { client, at } = await begin();
  const remaining = async () =>
    Number((await client.request(REPOSITORY, at)).headers['x-ratelimit-remaining']);
  const first = await remaining();
  assert.equal(await remaining(), first - 1);
  const { data } = await client.request('GET /rate_limit');
  assert.equal(data.rate.remaining, first - 1);
});

test('a spent limit is a 403 or a 429 until its time, for that installation only', async () => {
  for (const status of [403, 429] as const) {
    const { id, client, at } = await begin();
    const other = await begin();
    fake.exhaust(id, { status, resetIn: 5_000 });
    const refused = await refusalOf(client.request(REPOSITORY, at));
    assert.equal(refused.status, status);
    assert.match(refused.message, /^API rate limit exceeded for installation ID/);
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    const reset = Number(refused.headers['x-ratelimit-reset']) * 1000;
    assert.ok(reset >= fake.state.now() && reset <= fake.state.now() + 7_000);
    await other.client.request(REPOSITORY, other.at);
    const now = fake.state.now;
    try {
      fake.state.now = () => now() + 6_000;
      await client.request(REPOSITORY, at);
    } finally {
      fake.state.now = now;
    }
  }
});

test('a secondary limit may say how long to wait, or nothing', async () => {
  const { client, at } = await begin();
  fake.fault({ match: '*', kind: 'secondaryLimit', status: 429, retryAfter: 3 });
  fake.fault({ match: '*', kind: 'secondaryLimit' });
  const first = await refusalOf(client.request(REPOSITORY, at));
  assert.deepEqual([first.status, first.headers['retry-after']], [429, '3']);
  const second = await refusalOf(client.request(REPOSITORY, at));
  assert.deepEqual([second.status, second.headers['retry-after']], [403, undefined]);
  assert.match(second.message, /secondary rate limit/);
  await client.request(REPOSITORY, at);
});

test('a request is lost before it is executed, or its answer after', async () => {
  const match = 'POST /repos/:owner/one/pulls';
  for (const [kind, made] of [
    ...([
      ['dropBefore', 0],
      ['502before', 0],
      ['hangBefore', 0],
    ] as const),
    ...([
      ['dropAfter', 1],
      ['502after', 1],
      ['hangAfter', 1],
      ['truncate', 1],
    ] as const),
  ] as const) {
    const { client, at, repository } = await begin();
    fake.fault({ match, kind });
    const request = { signal: AbortSignal.timeout(1_000) };
    // Half of an answer is an answer to octokit, though no pull request.
    const asked = client.request(`POST ${PULLS}`, { ...at, ...wanted, request });
    const number = await asked.then(
      ({ data }) => data.number,
      () => undefined,
    );
    assert.equal(number, undefined, kind);
    assert.equal(repository.pulls.size, made, kind);
  }
  assert.deepEqual(fake.faults, []);
});

test('a slow answer comes, and a stale one is as before', async () => {
  const { client, at } = await begin();
  fake.fault({ match: 'GET /repos/:owner/one/pulls', kind: 'slow', ms: 50 });
  assert.equal((await client.request(`GET ${PULLS}`, at)).data.length, 0);
  await client.request(`POST ${PULLS}`, { ...at, ...wanted });
  fake.fault({ match: 'GET /repos/:owner/one/pulls', kind: 'stale' });
  assert.equal((await client.request(`GET ${PULLS}`, at)).data.length, 0);
  assert.equal((await client.request(`GET ${PULLS}`, at)).data.length, 1);
});

test('a renamed repository is found by its former name and its number', async () => {
  const { client, at, repository } = await begin();
  fake.rename(repository, 'Renamed');
  const { data, url } = await client.request(REPOSITORY, at);
  assert.equal(data.full_name, `${at.owner}/Renamed`);
  assert.equal(url, `${fake.url}/repositories/${repository.id}`);
  const manual = { ...at, request: { redirect: 'manual' as const } };
  assert.equal(Number((await client.request(REPOSITORY, manual)).status), 301);
  const opened = await client.request(`POST ${PULLS}`, { ...at, ...wanted });
  assert.equal(opened.data.number, 1);
  const inCapitals = await client.request(REPOSITORY, { ...at, repo: 'RENAMED' });
  assert.equal(inCapitals.data.name, 'Renamed');
  await fake.addRepository(`${at.owner}/one`);
  assert.equal((await client.request(REPOSITORY, at)).data.name, 'one');
});

test('a repository that was transferred, removed or not selected is not found', async () => {
  const gone = async (change: (begun: Awaited<ReturnType<typeof begin>>) => void) => {
    const begun = await begin();
    change(begun);
    const { client, at } = begun;
    assert.equal((await refusalOf(client.request(REPOSITORY, at))).status, 404);
    const { data } = await client.request('GET /installation/repositories');
    assert.equal(data.total_count, 0);
  };
  await gone(({ repository }) => fake.transfer(repository, 'elsewhere'));
  await gone(({ repository }) => fake.removeRepository(repository));
  await gone(({ id }) => fake.select(id, []));
});

test('an archived repository is read, and not written', async () => {
  const { client, at, repository } = await begin();
  fake.archive(repository);
  assert.equal((await client.request(REPOSITORY, at)).data.archived, true);
  const { status, message } = await refusalOf(
    client.request(`POST ${PULLS}`, { ...at, ...wanted }),
  );
  assert.deepEqual([status, message], [403, 'Repository was archived so is read-only.']);
  assert.equal(repository.pulls.size, 0);
});

test('the limit of the App itself is another', async () => {
  const { client, at } = await begin();
  fake.exhaust(0, { resetIn: 5_000 });
  assert.equal((await refusalOf(appOf(fake).octokit.request('GET /app'))).status, 403);
  await client.request(REPOSITORY, at);
});
