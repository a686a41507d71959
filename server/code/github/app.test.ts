import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { appOf, startGithub } from '../../testing/fixtures/code/github.ts';
import { HostError } from '../hosts/host-error.ts';
import { openGitHub } from './app.ts';
import { inRepository } from './read-repository.ts';

const fake = await startGithub();
const settings = appOf(fake);
const github = openGitHub(settings);
const library = await fake.addRepository('acme/library');
const website = await fake.addRepository('acme/website');
const acme = fake.install('acme');
const place = { installationId: acme.id, repositoryId: library.id };

const errorOf = async (work: Promise<unknown>): Promise<HostError> => {
  const error = await work.then(
    () => assert.fail('it should have been refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof HostError, String(error));
  return error;
};

test('the App asks about itself and its installations, also of an Enterprise Server', async () => {
  const enterprise = openGitHub({ ...settings, apiUrl: `${fake.url}/api/v3` });
  for (const { app } of [github, enterprise]) {
    const { data } = await app.request('GET /app/installations/{installation_id}', {
      installation_id: acme.id,
    });
    assert.equal(data.id, acme.id);
  }
});

test('a token opens nothing but the repository and the permissions that it is for', async () => {
  const token = await github.token({
    installationId: acme.id,
    repositoryIds: [library.id],
    permissions: { contents: 'read' },
  });
  const made = fake.state.tokens.get(token);
  assert.deepEqual([...(made?.repositoryIds ?? [])], [library.id]);
  assert.deepEqual(made?.permissions, { contents: 'read', metadata: 'read' });

  const api = inRepository(github, place, { contents: 'read' });
  const branches = 'GET /repos/{owner}/{repo}/branches';
  await api.request(branches, { owner: 'acme', repo: 'library' });
  const other = await errorOf(api.request(branches, { owner: 'acme', repo: 'website' }));
  assert.deepEqual([other.code, other.status], ['github_refused', 404]);
  const pulls = api.request('GET /repos/{owner}/{repo}/pulls', { owner: 'acme', repo: 'library' });
  const lacking = await errorOf(pulls);
  assert.deepEqual(
    [lacking.code, lacking.permission],
    ['github_permission_missing', 'pull_requests=read'],
  );
});

test('a renamed repository is found under its old name, and a change there is made, too', async () => {
  const moved = await fake.addRepository('acme/before');
  await fake.commit(moved, { files: { 'a.txt': 'a' }, branch: 'change' });
  fake.state.formerNames.set('acme/before', moved.id);
  moved.name = 'after';
  const api = inRepository(
    github,
    { ...place, repositoryId: moved.id },
    { contents: 'read', pull_requests: 'write' },
  );
  const named = { owner: 'acme', repo: 'before' };
  const { data, url } = await api.request('GET /repos/{owner}/{repo}', named);
  assert.equal(data.full_name, 'acme/after');
  assert.equal(url, `${fake.url}/repositories/${moved.id}`);
  const opened = await api.request('POST /repos/{owner}/{repo}/pulls', {
    ...named,
    title: 'A change',
    head: 'change',
    base: 'main',
  });
  assert.equal(opened.status, 201);
});

test('pages are read one after the other', async () => {
  for (let i = 0; i < 5; i++) await fake.commit(website, { files: { a: `${i}` }, branch: `b${i}` });
  const api = inRepository(github, { ...place, repositoryId: website.id }, { contents: 'read' });
  const all = await api.paginate('GET /repos/{owner}/{repo}/branches', {
    owner: 'acme',
    repo: 'website',
    per_page: 2,
  });
  assert.deepEqual(
    all.map(({ name }) => name),
    ['b0', 'b1', 'b2', 'b3', 'b4', 'main'],
  );
});

test('why no token is made: each reason has its code', async () => {
  const away = await fake.addRepository('elsewhere/other');
  const token = (repositoryIds: number[], more = {}) =>
    errorOf(github.token({ installationId: acme.id, repositoryIds, permissions: more }));
  assert.equal((await token([away.id])).code, 'github_repository_gone');
  const right = fake.install('lacking', { permissions: { metadata: 'read', contents: 'read' } });
  const missing = await errorOf(
    github.token({
      installationId: right.id,
      permissions: { contents: 'write', checks: 'read' },
    }),
  );
  assert.deepEqual(
    [missing.code, missing.permission],
    ['github_permission_missing', 'contents=write,checks=read'],
  );
  fake.suspend(right.id);
  const scope = { installationId: right.id, permissions: { metadata: 'read' as const } };
  assert.equal((await errorOf(github.token(scope))).code, 'github_installation_suspended');
  fake.uninstall(right.id);
  assert.equal((await errorOf(github.token(scope))).code, 'github_installation_gone');
});

test('the key of another App is refused, and neither it nor a token is in the error', async () => {
  const wrong = openGitHub({ ...settings, id: settings.id + 1 });
  const refused = await errorOf(wrong.app.request('GET /app'));
  assert.equal(refused.code, 'github_app_refused');
  fake.uninstall(fake.install('acme').id);
  const api = github.as({ installationId: acme.id, permissions: { metadata: 'read' } });
  const denied = await errorOf(
    api.request('GET /repos/{owner}/{repo}/pulls', { owner: 'acme', repo: 'library' }),
  );
  for (const error of [refused, denied]) {
    const shown = `${inspect(error, { depth: null })}${JSON.stringify(error)}${error.stack}`;
    assert.doesNotMatch(shown, /bearer |ghs_|eyJ|-----BEGIN/i);
  }
});

test('a server that does not answer is given up after the deadline', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const away = { ...settings, apiUrl: `http://127.0.0.1:${port}` };
  const slow = openGitHub(away, { deadline: 200 });
  assert.equal((await errorOf(slow.app.request('GET /app'))).code, 'github_unavailable');
  silent.closeAllConnections();
  silent.close();
  await once(silent, 'close');
  assert.equal((await errorOf(slow.app.request('GET /app'))).code, 'github_unavailable');
});

test('every request names the version of the API, and none asks for what GitHub does not describe', () => {
  assert.ok(fake.requests.length > 10);
  assert.deepEqual([...new Set(fake.requests.map(({ version }) => version))], ['2022-11-28']);
  // Only a redirect of GitHub itself leads there.
  const byId = fake.requests.filter(({ path }) => /^\/repositories\/\d+$/.test(path));
  assert.equal(byId.length, 1);
});
