import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, test } from 'node:test';
import { appOf, clientOf, refusalOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

const fake = await startFakeGithub();
after(() => fake.close());
const app = appOf(fake);
const { octokit } = app;

test('the App signs in with its key', async () => {
  const { data } = await octokit.request('GET /app');
  assert.equal(data?.id, fake.appId);
});

test('a JWT of another key, of another App or of another time is refused', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const forged = await refusalOf(appOf(fake, { privateKey }).octokit.request('GET /app'));
  assert.deepEqual([forged.status, forged.message], [401, 'A JSON web token could not be decoded']);
  const stranger = await refusalOf(
    appOf(fake, { appId: fake.appId + 1 }).octokit.request('GET /app'),
  );
  assert.deepEqual([stranger.status, stranger.message], [404, 'Integration not found']);
  const { token } = (await octokit.auth({ type: 'app' })) as { token: string };
  const late = clientOf(fake, token);
  const now = fake.state.now;
  try {
    fake.state.now = () => now() + 3_600_000;
    const refused = await refusalOf(late.request('GET /installation/repositories'));
    assert.equal(refused.status, 401);
    assert.match(refused.message, /'Expiration time' claim \('exp'\) must be a numeric value/);
  } finally {
    fake.state.now = now;
  }
});

test('every installation is listed, page by page', async () => {
  const before = await pagesOf();
  for (let i = 0; i < 5; i++) fake.install(`listed-${i}`);
  const ids = await pagesOf();
  assert.equal(ids.length, before.length + 5);
  assert.equal(new Set(ids).size, ids.length);

  async function pagesOf(): Promise<number[]> {
    const seen: number[] = [];
    for await (const { data } of octokit.paginate.iterator('GET /app/installations', {
      per_page: 2,
    })) {
      assert.ok(data.length <= 2);
      seen.push(...data.map(({ id }) => id));
    }
    return seen;
  }
});

test('a token sees the repositories of its installation, page by page', async () => {
  const { id } = fake.install('pages', { type: 'User' });
  for (let i = 0; i < 7; i++) await fake.addRepository(`pages/r${i}`);
  await fake.addRepository('someone-else/hidden');
  const client = clientOf(fake, await tokenOf(fake, id));
  const all = await client.paginate('GET /installation/repositories', { per_page: 3 });
  assert.deepEqual(
    all.map(({ full_name }) => full_name),
    Array.from({ length: 7 }, (_, i) => `pages/r${i}`),
  );
  const first = await client.request('GET /installation/repositories', { per_page: 3 });
  assert.match(first.headers.link ?? '', /[?&]page=2>; rel="next", .*[?&]page=3>; rel="last"/);
  assert.equal(first.data.total_count, 7);
});

test('a token is narrowed to repositories and permissions, and to no others', async () => {
  const { id } = fake.install('narrow', { permissions: { metadata: 'read', contents: 'read' } });
  const [one, other] = [
    await fake.addRepository('narrow/one'),
    await fake.addRepository('narrow/other'),
  ];
  const client = clientOf(fake, await tokenOf(fake, id, { repository_ids: [one.id] }));
  const { data } = await client.request('GET /installation/repositories');
  assert.deepEqual(
    data.repositories.map(({ name }) => name),
    ['one'],
  );
  const hidden = client.request('GET /repos/{owner}/{repo}', { owner: 'narrow', repo: other.name });
  assert.equal((await refusalOf(hidden)).status, 404);
  const refusals = [
    { repository_ids: [one.id, one.id + 999_999] },
    { permissions: { contents: 'write' as const } },
    { permissions: { pull_requests: 'read' as const } },
  ].map((narrowed) => refusalOf(tokenOf(fake, id, narrowed)));
  for (const { status } of await Promise.all(refusals)) assert.equal(status, 422);
});

test('a token ends after an hour', async () => {
  const { id } = fake.install('ends');
  const client = clientOf(fake, await tokenOf(fake, id));
  const now = fake.state.now;
  try {
    fake.state.now = () => now() + 3_601_000;
    const { status, message } = await refusalOf(client.request('GET /installation/repositories'));
    assert.deepEqual([status, message], [401, 'Bad credentials']);
  } finally {
    fake.state.now = now;
  }
});

test('a suspended installation is refused and comes back; a deleted one does not', async () => {
  const { id } = fake.install('suspended');
  const client = clientOf(fake, await tokenOf(fake, id));
  fake.suspend(id);
  const { data } = await octokit.request('GET /app/installations/{installation_id}', {
    installation_id: id,
  });
  assert.ok(data.suspended_at);
  const asked = [() => tokenOf(fake, id), () => client.request('GET /installation/repositories')];
  for (const ask of asked) {
    const { status, message } = await refusalOf(ask());
    assert.deepEqual([status, message], [403, 'This installation has been suspended']);
  }
  fake.unsuspend(id);
  await client.request('GET /installation/repositories');
  fake.uninstall(id);
  assert.equal((await refusalOf(tokenOf(fake, id))).status, 404);
  const gone = await refusalOf(client.request('GET /installation/repositories'));
  assert.deepEqual([gone.status, gone.message], [401, 'Bad credentials']);
});

test('endpoints of the App take no token, those of an installation no JWT, and neither nothing', async () => {
  const { id } = fake.install('confused');
  const client = clientOf(fake, await tokenOf(fake, id));
  assert.equal((await refusalOf(client.request('GET /app'))).status, 401);
  const { token } = (await octokit.auth({ type: 'app' })) as { token: string };
  const asApp = clientOf(fake, token).request('GET /installation/repositories');
  assert.equal((await refusalOf(asApp)).status, 403);
  const asNoOne = clientOf(fake).request('GET /installation/repositories');
  assert.equal((await refusalOf(asNoOne)).status, 401);
});

test('an Enterprise server is asked below /api/v3, and answers with such addresses', async () => {
  const { id } = fake.install('enterprise');
  await fake.addRepository('enterprise/one');
  const enterprise = appOf(fake, { baseUrl: `${fake.url}/api/v3` });
  const { data } = await enterprise.octokit.request('GET /app/installations/{installation_id}', {
    installation_id: id,
  });
  assert.equal(data.access_tokens_url, `${fake.url}/api/v3/app/installations/${id}/access_tokens`);
  const mine = await enterprise.getInstallationOctokit(id);
  const found = await mine.request('GET /repos/{owner}/{repo}', {
    owner: 'enterprise',
    repo: 'one',
  });
  assert.equal(found.data.clone_url, `${fake.url}/enterprise/one.git`);
});
