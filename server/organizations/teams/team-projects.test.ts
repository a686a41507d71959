import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const [owner, viewer] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, viewer, 'viewer');
  const team = await fixtures.team(workspace);
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/organizations/${workspace}/teams/${team}`;
  const send = (method: 'PUT' | 'DELETE', by: User, projectId = project) =>
    request(method, `${path}/projects/${projectId}`, { key: by.key });
  const read = () => request('GET', path, { key: viewer.key });
  const list = async () => (await request('GET', `${path}/projects`, { key: viewer.key })).body;
  return { owner, workspace, team, project, path, send, read, list };
}

test('204: a project is added and taken away, each once, and the team has changed', async () => {
  const { owner, workspace, team, project, send, read, list } = await tenant();
  const before = await read();
  assert.equal((await send('PUT', owner)).status, 204);
  const after = await read();
  assert.equal(after.body.project_count, 1);
  assert.ok(after.body.updated_at > before.body.updated_at);
  const [shown] = await list();
  assert.deepEqual([shown.id, shown.archived], [project, false]);
  assert.equal((await unchanged(() => send('PUT', owner))).status, 204);
  assert.equal((await send('DELETE', owner)).status, 204);
  assert.equal((await unchanged(() => send('DELETE', owner))).status, 204);
  assert.deepEqual(await list(), []);
  const audit = await db.many(sql`
    select action, organization_id, project_id from audit_event
     where target_id = ${team} order by occurred_at`);
  assert.deepEqual(
    audit,
    ['team.add_project', 'team.remove_project'].map((action) => ({
      action,
      organization_id: workspace,
      project_id: project,
    })),
  );
});

test('200: by name, archived ones too, in pages too', async () => {
  const { owner, workspace, path, send, list } = await tenant();
  for (const name of ['beta', 'Alpha', 'gamma']) {
    const id = await fixtures.project({ organizationId: workspace });
    await db.many(sql`
      update project set name = ${name}, archived_at = ${name === 'gamma' ? new Date() : null}
       where id = ${id}`);
    await send('PUT', owner, id);
  }
  const whole = await list();
  assert.deepEqual(
    whole.map((each: { name: string; archived: boolean }) => [each.name, each.archived]),
    [
      ['Alpha', false],
      ['beta', false],
      ['gamma', true],
    ],
  );
  const first = await request('GET', `${path}/projects?limit=2`, { key: owner.key });
  const next = /<(.*)>/.exec(first.headers.get('link') ?? '')?.[1] as string;
  const second = await request('GET', next, { key: owner.key });
  assert.deepEqual([...first.body, ...second.body], whole);
});

test('412: a team that got a new project by itself has changed', async () => {
  const { owner, workspace, path, read } = await tenant();
  await db.many(
    sql`update team set add_to_new_projects = true where organization_id = ${workspace}`,
  );
  const etag = (await read()).headers.get('etag') as string;
  await fixtures.project({ organizationId: workspace });
  const call = { key: owner.key, body: { name: 'Late' }, headers: { 'if-match': etag } };
  const reply = await unchanged(() => request('PUT', path, call));
  assert.deepEqual([reply.status, reply.body.code], [412, 'team_changed']);
});

test('404: a project of another workspace, a personal one, and one without an owner', async () => {
  const { owner, send } = await tenant();
  const elsewhere = await fixtures.workspace(owner);
  for (const foreign of [{ organizationId: elsewhere }, { userId: owner.id }, {}]) {
    const id = await fixtures.project(foreign);
    for (const method of ['PUT', 'DELETE'] as const)
      assert.equal((await unchanged(() => send(method, owner, id))).status, 404);
  }
});

test('race: a project is added to a team while it is deleted: it is in no team afterwards', async () => {
  for (let i = 0; i < 12; i++) {
    const { owner, team, project, send } = await tenant();
    const [added] = await Promise.all([
      send('PUT', owner),
      db.many(sql`delete from project where id = ${project}`),
    ]);
    assert.ok([204, 404].includes(added.status), added.text);
    assert.deepEqual(await db.many(sql`select 1 from team_project where team_id = ${team}`), []);
  }
});
