import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { newId } from '../../testing/fakes/fake-github/state.ts';
import {
  connectedAccount,
  connectInstallation,
  startGithub,
} from '../../testing/fixtures/code/github.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const github = await startGithub();
const { db, fixtures, request, unchanged } = await startHarness({ github });
const [owner, viewer, stranger] = [
  await fixtures.user(),
  await fixtures.user(),
  await fixtures.user(),
];
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, viewer, 'viewer');

const library = await github.addRepository('acme/library');
await github.addRepository('acme/Website', { private: false });
const acme = github.install('acme');
await connectInstallation(db, acme, { organizationId: workspace });

const get = (path: string, { key } = owner) => request('GET', path, { key });
const REPOSITORIES = `/api/github/installations/${acme.id}/repositories`;
const BRANCHES = `/api/github/repositories/${library.id}/branches`;

test('200: what is connected, in a workspace and of oneself', async () => {
  const own = await connectedAccount(github, db, { userId: viewer.id });
  const listed = await get(`/api/organizations/${workspace}/github/installations`, viewer);
  const [{ looked_at, ...shown }, ...others] = listed.body;
  assert.ok(Date.parse(looked_at) > 0 && others.length === 0);
  assert.deepEqual(shown, {
    id: acme.id,
    account: { login: 'acme', type: 'Organization' },
    repository_selection: 'all',
    suspended: false,
    permissions: acme.permissions,
  });
  const mine = await get('/api/github/installations', viewer);
  assert.deepEqual(
    mine.body.map(({ id }: { id: number }) => id),
    [own.installationId],
  );
  assert.deepEqual((await get('/api/github/installations')).body, []);
  const paged = await get('/api/github/installations?limit=1', viewer);
  assert.equal(paged.headers.get('link'), null);
});

test('200: the repositories of an installation, as GitHub has them, and those that contain a text', async () => {
  const { body } = await get(REPOSITORIES, viewer);
  assert.deepEqual(body[0], {
    id: library.id,
    full_name: 'acme/library',
    default_branch: 'main',
    private: true,
    archived: false,
    url: `${github.url}/acme/library`,
  });
  const names = async (query: string) =>
    (await get(`${REPOSITORIES}?${query}`)).body.map(
      (each: { full_name: string }) => each.full_name,
    );
  assert.deepEqual(await names('limit=50'), ['acme/library', 'acme/Website']);
  assert.deepEqual(await names('q=WEB'), ['acme/Website']);
  assert.deepEqual(await names('q=%25'), []);
});

test('200: pages go on where the last one ended, across those of GitHub', async () => {
  const account = await connectedAccount(github, db, { userId: owner.id });
  const template = github.state.repositories.get(account.repositoryId) ?? assert.fail();
  for (let i = 1; i < 230; i++) {
    const id = newId();
    const name = `r${i}${i % 2 === 0 ? '-even' : ''}`;
    github.state.repositories.set(id, { ...template, id, name });
  }
  for (const [query, count] of [
    ['limit=90', 230],
    ['limit=90&q=even', 114],
    ['limit=200', 230],
  ] as const) {
    const seen: string[] = [];
    let next: string | undefined =
      `/api/github/installations/${account.installationId}/repositories?${query}`;
    for (let pages = 0; next !== undefined; pages++) {
      assert.ok(pages < 5);
      const reply = await get(next);
      seen.push(...reply.body.map((each: { full_name: string }) => each.full_name));
      next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual([seen.length, new Set(seen).size], [count, count], query);
  }
  const bad = await get(`${REPOSITORIES}?cursor=x`);
  assert.equal(bad.body.detail[0].type, 'cursor_invalid');
});

test('200: the branches of a repository that the caller’s installations have', async () => {
  const head = await github.commit(library, { files: { 'a.txt': 'a' }, branch: 'feature/a' });
  const { body } = await get(BRANCHES, viewer);
  assert.deepEqual(
    body.map(({ name, is_default }: { name: string; is_default: boolean }) => [name, is_default]),
    [
      ['feature/a', false],
      ['main', true],
    ],
  );
  assert.equal(body[0].head_sha, head);
  assert.deepEqual((await get(`${BRANCHES}?q=FEATURE`)).body.length, 1);
});

test('404: what GitHub has and the caller may not see does not exist', async () => {
  const theirs = await connectedAccount(github, db, { userId: stranger.id });
  const paths = [
    `/api/github/installations/${theirs.installationId}/repositories`,
    `/api/github/repositories/${theirs.repositoryId}/branches`,
    '/api/github/installations/999999999999/repositories',
    '/api/github/repositories/999999999999/branches',
  ];
  for (const path of paths) {
    const reply = await unchanged(() => get(path));
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], path);
  }
  for (const path of [REPOSITORIES, BRANCHES])
    assert.equal((await get(path, stranger)).status, 404, path);
  const listed = await get(`/api/organizations/${workspace}/github/installations`, stranger);
  assert.equal(listed.status, 403);
  // A public repository can be read with any token, but it is not in the installation.
  const open = await github.addRepository('elsewhere/open', { private: false });
  assert.equal((await get(`/api/github/repositories/${open.id}/branches`)).status, 404);
});

test('403: a workspace whose two-factor policy the caller does not meet opens nothing', async () => {
  const strict = await fixtures.workspace(await fixtures.user({ twoFactor: true }), {
    require2fa: true,
  });
  const member = await fixtures.user();
  await fixtures.member(strict, member);
  const { installationId, repositoryId } = await connectedAccount(github, db, {
    organizationId: strict,
  });
  const repositories = `/api/github/installations/${installationId}/repositories`;
  const reply = await get(repositories, member);
  assert.deepEqual([reply.status, reply.body.code], [403, 'two_factor_required']);
  const branches = `/api/github/repositories/${repositoryId}/branches`;
  assert.equal((await get(branches, member)).status, 404);
  await db.many(sql`update app_user set two_factor = true where id = ${member.id}`);
  assert.equal((await get(repositories, member)).status, 200);
  assert.equal((await get(branches, member)).status, 200);
});

test('409: suspended, uninstalled, and without a permission: the answer says what to do', async () => {
  const { installationId, repositoryId } = await connectedAccount(github, db, { userId: owner.id });
  const path = `/api/github/installations/${installationId}/repositories`;
  const branches = `/api/github/repositories/${repositoryId}/branches`;
  const installation = github.state.installations.get(installationId) ?? assert.fail();
  installation.permissions = { metadata: 'read' };
  const lacking = await get(branches);
  assert.deepEqual(
    [lacking.status, lacking.body.code, lacking.body.permission],
    [409, 'github_permission_missing', 'contents=read'],
  );
  github.suspend(installationId);
  const other = `${path}?q=x`;
  const suspended = await get(other);
  assert.deepEqual([suspended.status, suspended.body.code], [409, 'github_installation_suspended']);
  github.unsuspend(installationId);
  github.uninstall(installationId);
  const gone = await get(other);
  assert.deepEqual([gone.status, gone.body.code], [409, 'github_installation_gone']);
});

test('409: a server without an App says so', async () => {
  const without = await startHarness();
  const person = await without.fixtures.user();
  const { installationId } = await connectedAccount(github, without.db, { userId: person.id });
  for (const path of [`installations/${installationId}/repositories`, 'repositories/1/branches']) {
    const reply = await without.request('GET', `/api/github/${path}`, { key: person.key });
    assert.deepEqual([reply.status, reply.body.code], [409, 'github_not_configured'], path);
  }
});
