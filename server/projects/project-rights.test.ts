import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltInRole, may } from '../access/roles.ts';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// Who may open and who may change a project, for every way to stand to it.

const { fixtures, request, db, unchanged } = await startHarness();

type Role = 'admin' | 'member' | 'viewer';
interface Place {
  project: string;
  workspace: string;
  owner: User;
  caller: User;
}

const join = async ({ workspace, caller }: Place, role: Role | (string & {})) =>
  fixtures.member(workspace, caller, role);
const grant = ({ project, caller }: Place, role: Role) => fixtures.grant(project, caller, role);
/** A custom role of the project's workspace, given to the caller on the project. */
const customGrant = async ({ workspace, project, caller }: Place, actsAs: Role) => {
  const role = await fixtures.role(workspace, { actsAs, scope: 'project' });
  await db.many(sql`
    insert into project_grant (project_id, user_id, role_id)
    values (${project}, ${caller.id}, ${role})`);
};
const own = (whose: 'caller' | 'owner' | 'no one') => async (place: Place) => {
  const user = whose === 'no one' ? null : place[whose].id;
  await db.many(sql`
    update project set organization_id = null, owner_user_id = ${user}
      where id = ${place.project}`);
};

const ROLES = ['admin', 'member', 'viewer'] as const;
const named = (each: (role: Role) => [string, (place: Place) => Promise<unknown>]) =>
  ROLES.map((role) => [...each(role), role] as const);

/** How the caller stands, and what they act as because of it. */
const STANDINGS: (readonly [
  string,
  (place: Place) => Promise<unknown>,
  BuiltInRole | undefined,
])[] = [
  ['stranger', async () => {}, undefined],
  [
    'owner of the workspace',
    async ({ workspace, caller }) => {
      await fixtures.member(workspace, caller, 'admin');
      await db.many(
        sql`update organization set owner_user_id = ${caller.id} where id = ${workspace}`,
      );
    },
    'owner',
  ],
  ...named((role) => [role, (place) => join(place, role)]),
  ...named((role) => [
    `custom role that acts as ${role}`,
    async (place) => join(place, await fixtures.role(place.workspace, { actsAs: role })),
  ]),
  [
    'admin with an override as viewer',
    async (place) => {
      await join(place, 'admin');
      await grant(place, 'viewer');
    },
    'admin',
  ],
  ...named((role) => [
    `viewer with an override as ${role}`,
    async (place) => {
      await join(place, 'viewer');
      await grant(place, role);
    },
  ]),
  [
    'member with an override by a custom role that acts as viewer',
    async (place) => {
      await join(place, 'member');
      await customGrant(place, 'viewer');
    },
    'viewer',
  ],
  ...named((role) => [`collaborator as ${role}`, (place) => grant(place, role)]),
  ...named((role) => [
    `collaborator by a custom role that acts as ${role}`,
    (place) => customGrant(place, role),
  ]),
  ['user of the personal project', own('caller'), 'admin'],
  ['stranger to a personal project', own('owner'), undefined],
  ...named((role) => [
    `collaborator as ${role} on a personal project`,
    async (place) => {
      await own('owner')(place);
      await grant(place, role);
    },
  ]),
  [
    'member of the workspace that the project was released from',
    async (place) => {
      await join(place, 'admin');
      await own('no one')(place);
    },
    undefined,
  ],
  ...named((role) => [
    `collaborator as ${role} on a released project`,
    async (place) => {
      await own('no one')(place);
      await grant(place, role);
    },
  ]),
];

for (const [standing, stand, role] of STANDINGS) {
  test(`${standing}: ${role ? `acts as ${role}` : 'has no access'}`, async () => {
    const [owner, caller] = [await fixtures.user(), await fixtures.user()];
    const workspace = await fixtures.workspace(owner);
    const project = await fixtures.project({ organizationId: workspace });
    await stand({ project, workspace, owner, caller });
    const path = `/api/projects/${project}`;
    const { status, body } = await request('GET', path, { key: caller.key });
    assert.equal(status, role !== undefined && may(role, 'open_project') ? 200 : 403);
    const listed = await request('GET', '/api/projects', { key: caller.key });
    assert.deepEqual(listed.body, status === 200 ? [body] : []);
    const rename = () => request('PUT', path, { key: caller.key, body: { name: 'Renamed' } });
    if (role !== undefined && may(role, 'update_project')) {
      assert.ok(body.available_actions.includes('update_project'));
      assert.equal((await rename()).status, 200);
    } else {
      assert.ok(!body.available_actions?.includes('update_project'));
      const reply = await unchanged(rename);
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
  });
}
