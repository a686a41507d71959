import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { connectedAccount, startGithub } from '../testing/fixtures/code/github.ts';
import { startHarness } from '../testing/harness/harness.ts';

const github = await startGithub();
const { db, fixtures, request, unchanged } = await startHarness({ github });

/** A project of a workspace with an account on GitHub that has one repository. */
async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const account = await connectedAccount(github, db, { organizationId: workspace });
  const repositories = `/api/projects/${project}/repositories`;
  const attach = (full_name: string, { key } = owner, at = repositories) =>
    request('POST', at, { key, body: { host: 'github', full_name } });
  const stored = () => github.state.repositories.get(account.repositoryId) ?? assert.fail();
  return { ...account, owner, workspace, project, repositories, attach, stored };
}

test('201: a repository of a connected account, as GitHub spells it', async () => {
  const { attach, owner, project, fullName, installationId, repositoryId, repositories } =
    await tenant();
  const { status, body } = await attach(fullName.toUpperCase());
  assert.equal(status, 201);
  const { id, created_at, updated_at, ...shown } = body;
  assert.deepEqual(shown, {
    project_id: project,
    host: 'github',
    full_name: fullName,
    default_branch: 'main',
    clone_url: `${github.url}/${fullName}.git`,
    used_by_tasks: true,
  });
  assert.equal(created_at, updated_at);
  const [row] = await db.many(sql`
    select installation_id::int, host_repository_id::int from repository where id = ${id}`);
  assert.deepEqual(row, { installation_id: installationId, host_repository_id: repositoryId });
  const audited = await db.many<{ after: { full_name: string } }>(sql`
    select after from audit_event where action = 'repository.attach' and target_id = ${id}`);
  assert.equal(audited[0]?.after.full_name, fullName);
  const listed = await request('GET', repositories, { key: owner.key });
  assert.equal(listed.body[1].full_name, fullName);
});

test('201: a personal project uses the account of its person', async () => {
  const { attach, owner } = await tenant();
  const personal = await fixtures.project({ userId: owner.id });
  const own = await connectedAccount(github, db, { userId: owner.id });
  const at = `/api/projects/${personal}/repositories`;
  assert.equal((await attach(own.fullName, owner, at)).status, 201);
});

test('200: its branches are those on GitHub', async () => {
  const { attach, owner, fullName, repositories } = await tenant();
  const { id } = (await attach(fullName)).body;
  const reply = await request('GET', `${repositories}/${id}/branches?q=MAI`, { key: owner.key });
  assert.deepEqual(
    reply.body.map(({ name, is_default }: { name: string; is_default: boolean }) => [
      name,
      is_default,
    ]),
    [['main', true]],
  );
  const none = await request('GET', `${repositories}/${id}/branches?q=x`, { key: owner.key });
  assert.deepEqual([none.status, none.body], [200, []]);
});

test('403: who may not change the project attaches nothing, and GitHub is not asked', async () => {
  const { attach, fullName, workspace } = await tenant();
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const asked = github.requests.length;
  for (const who of [viewer, await fixtures.user()])
    assert.equal((await unchanged(() => attach(fullName, who))).status, 403);
  assert.equal(github.requests.length, asked);
});

test('422: what is not connected, not in the installation, or attached already; nothing changes', async () => {
  const { attach, fullName, owner, installationId } = await tenant();
  const other = await tenant();
  const refused = async (name: string, code: string, at?: string) => {
    const reply = await unchanged(() => attach(name, owner, at));
    const [item] = reply.body.detail;
    assert.deepEqual([reply.status, item.type, item.loc], [422, code, ['body', 'full_name']]);
  };
  await refused(other.fullName, 'account_not_connected');
  await refused('octocat/hello', 'account_not_connected');
  await refused(`${fullName}-other`, 'repository_not_found');
  // The workspace's account is not the person's.
  const personal = await fixtures.project({ userId: owner.id });
  await refused(fullName, 'account_not_connected', `/api/projects/${personal}/repositories`);
  const installation = github.state.installations.get(installationId) ?? assert.fail();
  Object.assign(installation, { selection: 'selected', repositoryIds: new Set() });
  await refused(fullName, 'repository_not_found');
  Object.assign(installation, { selection: 'all' });
  assert.equal((await attach(fullName)).status, 201);
  await refused(fullName, 'repository_attached');
});

test('422: a server without an App says that it is not connected', async () => {
  const without = await startHarness();
  const person = await without.fixtures.user();
  const project = await without.fixtures.project({ userId: person.id });
  const reply = await without.unchanged(() =>
    without.request('POST', `/api/projects/${project}/repositories`, {
      key: person.key,
      body: { host: 'github', full_name: 'acme/library' },
    }),
  );
  assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'host_not_connected']);
});

test('409: an installation that is gone or suspended, by name', async () => {
  const { attach, fullName, installationId } = await tenant();
  github.suspend(installationId);
  const suspended = await unchanged(() => attach(fullName));
  assert.deepEqual([suspended.status, suspended.body.code], [409, 'github_installation_suspended']);
  github.uninstall(installationId);
  const gone = await unchanged(() => attach(fullName));
  assert.deepEqual([gone.status, gone.body.code], [409, 'github_installation_gone']);
});

test('a project that changes its owner no longer uses the account of the former one', async () => {
  const { attach, fullName, owner, project, repositories } = await tenant();
  const { id } = (await attach(fullName)).body;
  await db.many(sql`
    update project set organization_id = null, owner_user_id = ${owner.id} where id = ${project}`);
  const listed = await request('GET', repositories, { key: owner.key });
  assert.equal(listed.body[1].unavailable_reason, 'not_connected');
  const branches = await request('GET', `${repositories}/${id}/branches`, { key: owner.key });
  assert.deepEqual([branches.status, branches.body.code], [409, 'github_not_connected']);
});

test('race: the same repository is attached twice: one of the two is refused', async () => {
  const { attach, fullName, project } = await tenant();
  const replies = await Promise.all([1, 2, 3].map(() => attach(fullName)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422]);
  const rows = await db.many(sql`
    select from repository where project_id = ${project} and host = 'github'`);
  assert.equal(rows.length, 1);
});
