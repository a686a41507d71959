import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { turnOf } from '../testing/fixtures/tasks/stored-files.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { duringOn } from '../testing/harness/during.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness({ env: { PUBLIC_URL: 'https://guildhall.example' } });
const { fixtures, request, db, unchanged } = harness;
const during = duringOn(harness);

async function tenant() {
  const [owner, viewer] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}/repositories`;
  const attach = (full_name: string, by: User = owner, host = 'local') =>
    request('POST', path, { key: by.key, body: { host, full_name } });
  const detach = (id: string, by: User = owner) =>
    request('DELETE', `${path}/${id}`, { key: by.key });
  const list = async () => (await request('GET', path, { key: viewer.key })).body;
  const names = async (): Promise<string[]> =>
    (await list()).map((each: { full_name: string }) => each.full_name);
  const archive = (archived = true) =>
    request('PUT', `/api/projects/${project}`, { key: owner.key, body: { archived } });
  return { owner, workspace, project, path, attach, detach, list, names, archive };
}

const idOf = async (project: string, name: string) =>
  (
    await db.one<{ id: string }>(
      sql`select id from repository where project_id = ${project} and full_name = ${name}`,
    )
  ).id;

test('201: a project begins with `main`, and others are attached and detached', async () => {
  const { owner, workspace, project, path, attach, detach, list, names } = await tenant();
  const reply = await attach('library');
  assert.equal(reply.status, 201);
  assert.equal(reply.headers.get('location'), `${path}/${reply.body.id}`);
  assert.match(reply.headers.get('etag') ?? '', /^"\d+"$/);
  const [first, second] = await list();
  assert.deepEqual(second, reply.body);
  assert.deepEqual(first, {
    id: await idOf(project, 'main'),
    project_id: project,
    host: 'local',
    full_name: 'main',
    default_branch: 'main',
    clone_url: `https://guildhall.example/git/${project}/main.git`,
    used_by_tasks: true,
    created_at: first.created_at,
    updated_at: first.created_at,
  });
  assert.equal((await detach(second.id)).status, 204);
  assert.deepEqual(await names(), ['main']);
  // The same name again is another row, and the same folder.
  const again = await attach('library');
  assert.notEqual(again.body.id, second.id);
  assert.equal(again.body.clone_url, second.clone_url);
  const audit = await db.many(sql`
    select action, actor_user_id, organization_id, project_id, target_id,
           coalesce(after, before) as row
      from audit_event where project_id = ${project} order by occurred_at limit 2`);
  const same = {
    actor_user_id: owner.id,
    organization_id: workspace,
    project_id: project,
    target_id: second.id,
    row: { host: 'local', full_name: 'library', default_branch: 'main' },
  };
  assert.deepEqual(audit, [
    { action: 'repository.attach', ...same },
    { action: 'repository.detach', ...same },
  ]);
});

test('200: in the order in which they were attached, whole and in pages', async () => {
  const { owner, path, attach, names } = await tenant();
  for (const name of ['zebra', 'ant', '0'.repeat(100)])
    assert.equal((await attach(name)).status, 201);
  assert.deepEqual(await names(), ['main', 'zebra', 'ant', '0'.repeat(100)]);
  const pages: string[] = [];
  let next: string | undefined = `${path}?limit=1`;
  while (next !== undefined) {
    const reply = await request('GET', next, { key: owner.key });
    pages.push(...reply.body.map((each: { full_name: string }) => each.full_name));
    next = /<(.*)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, await names());
});

test('404: a repository of another project', async () => {
  const { detach } = await tenant();
  const other = await tenant();
  const foreign = await idOf(other.project, 'main');
  assert.equal((await unchanged(() => detach(foreign))).status, 404);
});

test('409: no more than twenty', async () => {
  const { attach, names } = await tenant();
  for (let i = 1; i < 20; i++) assert.equal((await attach(`r${i}`)).status, 201);
  const reply = await unchanged(() => attach('r20'));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_repositories']);
  assert.equal((await names()).length, 20);
});

test('409: an archived project keeps what it has, until it is taken back', async () => {
  const { attach, detach, archive } = await tenant();
  const { id } = (await attach('library')).body;
  await archive();
  for (const change of [() => attach('other'), () => detach(id)]) {
    const reply = await unchanged(change);
    assert.deepEqual([reply.status, reply.body.code], [409, 'project_archived']);
  }
  await archive(false);
  assert.equal((await detach(id)).status, 204);
});

test('409: `main` stays, in which tasks work: with tasks, without, and in an archived project', async () => {
  const { owner, project, attach, detach, archive, names } = await tenant();
  const main = await idOf(project, 'main');
  const { id: library } = (await attach('library')).body;
  const refused = async () => {
    const reply = await unchanged(() => detach(main));
    assert.deepEqual([reply.status, reply.body.code], [409, 'repository_in_use']);
  };
  await refused();
  await turnOf(db, await fixtures.task(project, owner));
  await refused();
  assert.equal((await detach(library)).status, 204);
  await refused();
  await archive();
  await refused();
  assert.deepEqual(await names(), ['main']);
});

test('409: one that has a pull request stays, so that what was merged is known', async () => {
  const { owner, project, attach, detach } = await tenant();
  const { id } = (await attach('library')).body;
  const task = await fixtures.task(project, owner);
  await db.many(sql`
    insert into pull_request
           (task_id, repository_id, number, base, title, body, opened_by_user_id)
    values (${task}, ${id}, 1, 'main', 'A title', '', ${owner.id})`);
  for (const state of ['open', 'merged', 'closed']) {
    await db.many(sql`update pull_request set state = ${state} where task_id = ${task}`);
    const reply = await unchanged(() => detach(id));
    assert.deepEqual([reply.status, reply.body.code], [409, 'repository_in_use'], state);
  }
  await db.many(sql`delete from pull_request where task_id = ${task}`);
  assert.equal((await detach(id)).status, 204);
});

test('422: names that are taken, that no repository of this server has, and hosts that are not there', async () => {
  const { attach } = await tenant();
  const refused = async (name: string, code: string, field: string, host = 'local') => {
    const reply = await unchanged(() => attach(name, undefined, host));
    const [item] = reply.body.detail;
    assert.deepEqual([reply.status, item.type, item.loc], [422, code, ['body', field]], name);
  };
  await refused('main', 'repository_name_taken', 'full_name');
  await refused('octocat/hello', 'host_not_connected', 'host', 'github');
  await refused('octocat/hello', 'repository_name_invalid', 'full_name');
  await refused('hello', 'repository_name_invalid', 'full_name', 'github');
  await refused('hello', 'literal_error', 'host', 'gitlab');
  for (const name of [
    'Library',
    '..',
    '.',
    '.git',
    '-o',
    '--upload-pack=x',
    'a..b',
    'a.git',
    'a.lock',
    'a.',
    'a b',
    'a/b/c',
    '/etc',
    '../other',
    'a\\b',
    'é',
    'a\n',
    'a\u0000',
    '.hidden',
    'a/',
    '/a',
    'a'.repeat(101),
    'main.git',
  ])
    await refused(name, 'string_pattern_mismatch', 'full_name');
  await refused('', 'string_too_short', 'full_name');
  await refused('a'.repeat(4096), 'string_too_long', 'full_name');
});

test('race: a pull request is opened in a repository that is being detached: both stay', async () => {
  const { owner, project, attach, detach } = await tenant();
  const { id } = (await attach('library')).body;
  const task = await fixtures.task(project, owner);
  const [reply] = await during(
    async (tx) => {
      await tx.many(sql`select id from repository where id = ${id} for no key update`);
      await tx.many(sql`
        insert into pull_request
               (task_id, repository_id, number, base, title, body, opened_by_user_id)
        values (${task}, ${id}, 1, 'main', 'A title', '', ${owner.id})`);
    },
    () => detach(id),
  );
  assert.deepEqual([reply?.status, reply?.body.code], [409, 'repository_in_use']);
  const left = await db.many(sql`
    select pr.task_id from pull_request pr join repository r on r.id = pr.repository_id
     where r.id = ${id}`);
  assert.equal(left.length, 1);
});

test('race: the same name from two: one has it, the other learns that it is taken', async () => {
  for (let i = 0; i < 10; i++) {
    const { owner, attach, names } = await tenant();
    const replies = await Promise.all([attach('library', owner), attach('library', owner)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422]);
    assert.deepEqual(await names(), ['main', 'library']);
  }
});

test('race: several for the last place: one gets it', async () => {
  const { attach, names } = await tenant();
  for (let i = 1; i < 19; i++) await attach(`r${i}`);
  const replies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => attach(name)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  assert.equal((await names()).length, 20);
});

test('race: the project is deleted, archived or loses the repository meanwhile: all end', async () => {
  for (let i = 0; i < 8; i++) {
    const { owner, project, attach, detach, archive } = await tenant();
    const id = await fixtures.repository(project);
    const [attached, archived, ...detached] = await Promise.all([
      attach('library'),
      archive(),
      detach(id),
      detach(id),
    ]);
    assert.ok([201, 409].includes(attached.status), attached.text);
    assert.equal(archived.status, 200);
    for (const { status, text } of detached) assert.ok([204, 404, 409].includes(status), text);
    assert.ok(detached.filter(({ status }) => status === 204).length <= 1);
    await archive(false);
    const [late, deleted] = await Promise.all([
      attach('late'),
      request('DELETE', `/api/projects/${project}`, { key: owner.key }),
    ]);
    assert.ok([201, 404].includes(late.status), late.text);
    assert.equal(deleted.status, 200);
    const left = await db.many(sql`select id from repository where project_id = ${project}`);
    assert.deepEqual(left, []);
  }
});
