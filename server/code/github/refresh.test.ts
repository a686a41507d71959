import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openLog } from '../../telemetry/log.ts';
import { appOf, connectedAccount, startGithub } from '../../testing/fixtures/code/github.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { openGitHub } from './app.ts';
import { githubWork } from './background.ts';
import { connect } from './connect.ts';
import { refreshInstallation } from './refresh-installation.ts';
import { storedLimits } from './stored-limits.ts';

const fake = await startGithub();
const { db, fixtures, request, url } = await startHarness({ github: fake });
const lines: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    lines.push(String(chunk));
    done();
  },
});
const log = openLog('trace', stream);
const open = (settings = appOf(fake)) => openGitHub(settings, { limits: storedLimits(db) });
const github = open();
const work = githubWork(db, github, log);
fake.webhook(`${url}/webhooks/github`);

/** A project with a repository of an account that is connected to its workspace. */
async function attached() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const account = await connectedAccount(fake, db, { organizationId: workspace });
  const path = `/api/projects/${project}/repositories`;
  const sent = { host: 'github', full_name: account.fullName };
  const { body } = await request('POST', path, { key: owner.key, body: sent });
  const shown = async () => (await request('GET', path, { key: owner.key })).body[1];
  const onGithub = fake.state.repositories.get(account.repositoryId) ?? assert.fail();
  return { ...account, id: body.id as string, owner, workspace, project, shown, onGithub };
}

/** Everything that is stored is old enough to be looked at again. */
const makeDue = async () => {
  await db.many(sql`update github_installation set looked_at = now() - interval '1 hour'`);
  await db.many(sql`update repository set looked_at = now() - interval '1 hour'`);
};

const due = async () =>
  (
    await db.one<{ count: number }>(sql`
      select count(*)::int as count from github_delivery where done_at is null`)
  ).count;

test('a webhook makes a new name known, and a changed default branch', async () => {
  const { onGithub, shown, fullName } = await attached();
  fake.rename(onGithub, 'renamed');
  await fake.deliver();
  assert.ok((await due()) > 0);
  await work.round();
  const after = await shown();
  assert.equal(after.full_name, fullName.replace(/\/.*/, '/renamed'));
  assert.ok(after.updated_at > after.created_at);
  assert.equal(await due(), 0);
});

test('what no webhook has said is found by looking: a name, a suspension, an end, a return', async () => {
  const { onGithub, shown, installationId } = await attached();
  const look = async () => {
    await makeDue();
    await work.round();
    return (await shown()).unavailable_reason;
  };
  fake.loseEvents(100);
  fake.rename(onGithub, 'elsewhere');
  assert.equal(await look(), undefined);
  assert.match((await shown()).full_name, /\/elsewhere$/);
  fake.suspend(installationId);
  assert.equal(await look(), 'installation_suspended');
  fake.unsuspend(installationId);
  assert.equal(await look(), undefined);
  fake.select(installationId, []);
  assert.equal(await look(), 'repository_gone');
  fake.select(installationId, [onGithub]);
  assert.equal(await look(), undefined);
  fake.uninstall(installationId);
  assert.equal(await look(), 'installation_gone');
  await fake.deliver();
});

test('a default branch whose name is not usable: a look keeps the old one, attaching says what to do', async () => {
  const { onGithub, shown, project, owner, fullName } = await attached();
  const before = await shown();
  onGithub.defaultBranch = 'main\u202e';
  await makeDue();
  await work.round();
  assert.deepEqual(await shown(), before);
  await db.many(sql`delete from repository where project_id = ${project} and host = 'github'`);
  const { status, body } = await request('POST', `/api/projects/${project}/repositories`, {
    key: owner.key,
    body: { host: 'github', full_name: fullName },
  });
  assert.deepEqual([status, body.code], [409, 'github_default_branch_unusable']);
  assert.equal(await shown(), undefined);
});

test('a transferred repository is not in the installation any more', async () => {
  const { onGithub, shown } = await attached();
  fake.transfer(onGithub, 'somewhere-else');
  await fake.deliver();
  assert.ok((await due()) > 0);
  await work.round();
  assert.equal((await shown()).unavailable_reason, 'repository_gone');
});

test('an event in a repository makes its open pull requests due, or those that it names', async () => {
  const { id, project, owner, onGithub } = await attached();
  const tasks = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
  for (const [i, task] of tasks.entries())
    await db.many(sql`
      insert into pull_request (task_id, repository_id, number, base, title, body,
                                opened_by_user_id, looked_at)
      values (${task}, ${id}, ${i + 1}, 'main', 'A title', '', ${owner.id}, now())`);
  const dueOnes = async () => {
    const rows = await db.many<{ number: number }>(sql`
      update pull_request set looked_at = now()
       where repository_id = ${id} and looked_at is null returning number`);
    return rows.map(({ number }) => number).sort();
  };
  const deliver = (subject: object) =>
    db.many(sql`
      insert into github_delivery (id, event, repository_id, subject)
      values (gen_random_uuid(), 'check_run', ${onGithub.id}, ${subject})`);
  await deliver({ sha: 'a'.repeat(40) });
  await work.round();
  assert.deepEqual(await dueOnes(), [1, 2]);
  await deliver({ pulls: [2] });
  await work.round();
  assert.deepEqual(await dueOnes(), [2]);
});

test('a delivery whose object cannot be looked at is tried again later', async () => {
  const { installationId } = await attached();
  fake.fault({
    match: 'GET /app/installations/:installation_id',
    kind: '502before',
    times: 9,
  } as never);
  fake.suspend(installationId);
  await fake.deliver();
  assert.ok((await due()) > 0);
  await work.round();
  const [waiting] = await db.many<{ attempts: number; last_error: string; later: boolean }>(sql`
    select attempts, last_error, not_before > now() as later
      from github_delivery where done_at is null`);
  assert.deepEqual([waiting?.attempts, waiting?.later], [1, true]);
  assert.match(waiting?.last_error ?? '', /GitHub does not answer/);
  fake.clearFaults();
  await db.many(sql`update github_delivery set not_before = now() where done_at is null`);
  await work.round();
  assert.equal(await due(), 0);
  const [row] = await db.many<{ suspended: boolean }>(sql`
    select suspended_at is not null as suspended from github_installation
     where id = ${installationId}`);
  assert.equal(row?.suspended, true);
});

test('an App that is installed again goes on with its repositories once it is connected', async () => {
  const { onGithub, shown, installationId, workspace } = await attached();
  fake.uninstall(installationId);
  await fake.deliver();
  await work.round();
  assert.equal((await shown()).unavailable_reason, 'installation_gone');
  const again = fake.install(onGithub.owner.login);
  await refreshInstallation(db, github, again.id);
  await db.transaction((tx) => connect(tx, again.id, { organizationId: workspace }));
  await work.round();
  assert.equal((await shown()).unavailable_reason, undefined);
});

test('the settings of another App change nothing that is stored', async () => {
  const { shown, installationId } = await attached();
  const wrong = githubWork(db, open({ ...appOf(fake), id: fake.appId + 1 }), log);
  await makeDue();
  await wrong.round();
  assert.equal((await shown()).unavailable_reason, undefined);
  const [row] = await db.many(sql`
    select deleted_at from github_installation where id = ${installationId}`);
  assert.deepEqual(row, { deleted_at: null });
  assert.match(lines.join(''), /github_app_refused/);
});

test('a limit that one process meets keeps all of them from asking', async () => {
  const { installationId } = await attached();
  const other = open();
  fake.exhaust(installationId);
  const scope = { installationId, permissions: { metadata: 'read' } } as const;
  const ask = (client: typeof github) => client.as(scope).request('GET /installation/repositories');
  await assert.rejects(ask(github), { code: 'github_rate_limited' });
  const before = fake.requests.length;
  await assert.rejects(ask(other), { code: 'github_rate_limited' });
  assert.equal(fake.requests.length, before);
});

test('an installation that is not connected is not looked at', async () => {
  const { id } = fake.install('unconnected');
  await fake.deliver();
  assert.ok((await due()) > 0);
  await work.round();
  assert.ok(!fake.requests.some(({ path }) => path.includes(String(id))));
  assert.ok((await refreshInstallation(db, github, id)) !== undefined);
});

test('no secret is in the log of all this', () => {
  const all = lines.join('');
  assert.ok(all.length > 0);
  assert.doesNotMatch(all, /bearer |ghs_[\w]|eyJ\w|-----BEGIN/i);
  assert.ok(!all.includes(fake.webhookSecret));
});
