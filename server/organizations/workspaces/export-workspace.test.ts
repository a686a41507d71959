import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWorld } from '../../../cli/world/check.ts';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged, owner: asOwner } = await startHarness();

const owner = await fixtures.user({ name: 'Ada' });
const workspace = await fixtures.workspace(owner, { name: 'Acme', balance: '120.00' });
const path = `/api/organizations/${workspace}/export`;
const collaborator = await fixtures.user();
const member = await fixtures.user();
const custom = await fixtures.role(workspace, { name: 'Captain' });
await fixtures.member(workspace, member, custom);
const team = await fixtures.team(workspace, { name: 'Core' });
await fixtures.teamMember(team, member);
const project = await fixtures.project({ organizationId: workspace });
await fixtures.grant(project, collaborator, 'viewer');
const task = await fixtures.task(project, member);
await fixtures.revision(task, 'The plan');
const card = await fixtures.card(owner);
const invitation = await fixtures.invitation(workspace, { by: owner, expiresInHours: -1 });
await fixtures.invitation(workspace, { status: 'revoked' });

test('200: a world file that import accepts, to download, with everything of the workspace', async () => {
  const { status, headers, body } = await request('GET', path, owner);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="workspace-${workspace}.json"`,
  );
  readWorld(body);
  const [exported] = body.organizations;
  assert.deepEqual(
    body.users.map(({ handle }: { handle: string }) => handle).toSorted(),
    [owner.id, member.id, collaborator.id].toSorted(),
  );
  const [{ slug, name }] = exported.roles;
  assert.equal(name, 'Captain');
  assert.deepEqual(exported.members, [{ user: member.id, role: slug }]);
  assert.deepEqual([exported.teams[0].handle, exported.teams[0].members], [team, [member.id]]);
  assert.deepEqual(
    exported.invitations.map(({ handle }: { handle: string }) => handle),
    [invitation],
    'expired ones may be renewed; those that ended are history',
  );
  assert.deepEqual(body.projects[0].collaborators, [{ user: collaborator.id, role: 'viewer' }]);
  assert.deepEqual(body.tasks[0].plan.revisions, ['The plan']);
});

test('the file holds nothing that opens or pays anything, and nothing of another workspace', async () => {
  const other = await fixtures.workspace(owner, { name: 'Elsewhere' });
  const foreign = await fixtures.project({ organizationId: other });
  await fixtures.task(foreign, owner);
  const { text } = await request('GET', path, owner);
  for (const secret of [owner.key, 'gld_', card, 'pm_', 'token', 'http', '120.00', other, foreign])
    assert.ok(!text.includes(secret), secret);
});

test('the file is one moment: what changes meanwhile is in all of it or in none', async () => {
  const busy = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: busy });
  await asOwner(sql`
    insert into task (project_id, title, created_by_user_id)
    select ${project}, 'Turn 0', ${owner.id} from generate_series(1, 3000)`);
  let stop = false;
  // All tasks always have the same title: a file with two of them mixes two moments.
  const changing = (async () => {
    for (let turn = 1; !stop; turn++)
      await db.many(sql`update task set title = ${`Turn ${turn}`} where project_id = ${project}`);
  })();
  for (let i = 0; i < 5; i++) {
    const { body } = await request('GET', `/api/organizations/${busy}/export`, owner);
    assert.equal(body.tasks.length, 3000);
    assert.equal(new Set(body.tasks.map(({ title }: { title: string }) => title)).size, 1);
  }
  stop = true;
  await changing;
});

test('403: anyone but the owner; each attempt is in the audit trail, and so is each export', async () => {
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const stranger = await fixtures.user();
  const refused = async (user: User) => {
    const { status } = await unchanged(() => request('GET', path, user));
    assert.equal(status, 403);
  };
  for (const user of [admin, member, collaborator, stranger]) await refused(user);
  const trail = `/api/organizations/${workspace}/audit-events?action=workspace.export`;
  const { body } = await request('GET', trail, owner);
  const outcomes = Map.groupBy(body as { outcome: string }[], ({ outcome }) => outcome);
  assert.equal(outcomes.get('refused')?.length, 4);
  assert.equal(outcomes.get('done')?.length, 2);
});
