import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { duringOn } from '../testing/harness/during.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness();
const { fixtures, request, db } = harness;
const during = duringOn(harness);

const create = ({ key }: User, workspace: string) =>
  request('POST', '/api/projects', {
    key,
    body: {
      name: 'Web shop',
      organization_id: workspace,
      erp_version: '18.0',
      erp_edition: 'community',
    },
  });
const rename = ({ key }: User, project: string, body: object, headers = {}) =>
  request('PUT', `/api/projects/${project}`, { key, body, headers });

async function tenant() {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member);
  const team = await fixtures.team(workspace);
  await db.many(sql`update team set can_create_projects = true where id = ${team}`);
  await fixtures.teamMember(team, member);
  return { owner, member, workspace, team };
}

test('race: a project is created while its workspace is deleted: released or not made, never half', async () => {
  const statuses = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const { owner, member, workspace } = await tenant();
    const deletion = setTimeout(round).then(() =>
      request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
    );
    const [gone, ...made] = await Promise.all([
      deletion,
      create(owner, workspace),
      create(member, workspace),
      create(owner, workspace),
    ]);
    assert.equal(gone.status, 200);
    for (const { status, body, text } of made) {
      statuses.add(String(status));
      assert.ok(status === 201 || status === 403 || status === 404, text);
      if (status !== 201) continue;
      const [row] = await db.many<{ organization_id: string | null; owner_user_id: string | null }>(
        sql`select organization_id, owner_user_id from project where id = ${body.id}`,
      );
      assert.deepEqual(row, { organization_id: null, owner_user_id: null });
    }
    const released = made.filter(({ status }) => status === 201).length;
    assert.equal(gone.body.projects_released, released);
    const grants = await db.many(sql`
      select from project_grant where user_id in (${owner.id}, ${member.id})`);
    assert.deepEqual(grants, []);
  }
  assert.ok(statuses.has('201'), [...statuses].join());
});

test('race: a member who is removed first creates nothing, and does not become an outside collaborator', async () => {
  const { member, workspace } = await tenant();
  const [reply] = await during(
    async (tx) => {
      await tx.one(sql`select id from organization where id = ${workspace} for update`);
      await tx.many(sql`
        delete from membership where organization_id = ${workspace} and user_id = ${member.id}`);
    },
    () => create(member, workspace),
  );
  assert.deepEqual([reply?.status, reply?.body.code], [403, 'forbidden']);
  assert.deepEqual(
    await db.many(sql`select from project where organization_id = ${workspace}`),
    [],
  );
});

test('race: a workspace that is deleted first is not found', async () => {
  const { owner, workspace, team } = await tenant();
  const [gone, reply] = await during(
    // The deletion has locked the workspace when it comes to its teams.
    (tx) => tx.one(sql`select id from team where id = ${team} for update`),
    () => request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
    () => create(owner, workspace),
  );
  assert.deepEqual([gone?.status, reply?.status, reply?.body.code], [200, 404, 'not_found']);
});

test('race: a team loses its right while a member creates: done or refused, and refused from then on', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, member, workspace, team } = await tenant();
    const path = `/api/organizations/${workspace}/teams/${team}`;
    const body = { can_create_projects: false };
    const [made, changed] = await Promise.all([
      create(member, workspace),
      request('PUT', path, { key: owner.key, body }),
    ]);
    assert.equal(changed.status, 200);
    assert.ok(made.status === 201 || made.status === 403, made.text);
    assert.equal((await create(member, workspace)).status, 403);
  }
});

test('race: two updates with one If-Match: one 200, one 412', async () => {
  const { owner, workspace } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  for (let round = 0; round < 10; round++) {
    const shown = await request('GET', `/api/projects/${project}`, { key: owner.key });
    const headers = { 'if-match': shown.headers.get('etag') };
    const replies = await Promise.all(
      ['a', 'b'].map((name) => rename(owner, project, { name: `${name}${round}` }, headers)),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412]);
    const [done] = replies.filter(({ status }) => status === 200);
    const now = await request('GET', `/api/projects/${project}`, { key: owner.key });
    assert.equal(now.body.name, done?.body.name);
  }
});

test('race: archiving and renaming at once are both kept', async () => {
  const { owner, workspace } = await tenant();
  for (let round = 0; round < 10; round++) {
    const project = await fixtures.project({ organizationId: workspace });
    const replies = await Promise.all([
      rename(owner, project, { archived: true }),
      rename(owner, project, { name: 'Renamed' }),
    ]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    const { body } = await request('GET', `/api/projects/${project}`, { key: owner.key });
    assert.deepEqual([body.archived, body.name], [true, 'Renamed']);
  }
});

test('race: an update of a project that is moved first changes nothing, and the next one is judged anew', async () => {
  const { owner, workspace } = await tenant();
  const elsewhere = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  const [reply] = await during(
    (tx) =>
      tx.many(sql`
        update project set organization_id = ${elsewhere.workspace} where id = ${project}`),
    () => rename(owner, project, { name: 'Mine' }),
  );
  // 403 if it only started again after the move.
  const code = `${reply?.status} ${reply?.body.code}`;
  assert.ok(['412 project_changed', '403 forbidden'].includes(code), code);
  assert.equal((await rename(owner, project, { name: 'Mine' })).status, 403);
  const [row] = await db.many<{ name: string }>(
    sql`select name from project where id = ${project}`,
  );
  assert.match(row?.name ?? '', /^Project /);
});

test('race: a team that joins new projects is deleted while projects are created: it is in all of them or in none', async () => {
  for (let round = 0; round < 10; round++) {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner);
    const team = await fixtures.team(workspace, { addToNew: true });
    const create = () =>
      request('POST', '/api/projects', {
        key: owner.key,
        body: {
          name: 'Shop',
          organization_id: workspace,
          erp_version: '19.0',
          erp_edition: 'community',
        },
      });
    const path = `/api/organizations/${workspace}/teams/${team}`;
    const [gone, ...made] = await Promise.all([
      request('DELETE', path, { key: owner.key }),
      create(),
      create(),
    ]);
    assert.deepEqual([gone.status, ...made.map(({ status }) => status)], [204, 201, 201]);
    assert.deepEqual(await db.many(sql`select from team_project where team_id = ${team}`), []);
  }
});
