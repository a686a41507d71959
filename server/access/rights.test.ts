import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { type BuiltInRole, may, type Permission } from './roles.ts';

const { fixtures, request, db } = await startHarness();

type Role = 'admin' | 'member' | 'viewer';

/** Everything that bears on one person's rights to one project. */
interface Case {
  ownership: 'workspace' | 'personal' | 'released';
  membership: 'none' | 'owner' | Role;
  grant: 'none' | Role;
  /** The roles are custom ones of the workspace, which act as these. */
  custom: boolean;
  active: boolean;
  twoFactor: boolean;
  policy: boolean;
}

const everyCase: Case[] = [];
for (const ownership of ['workspace', 'personal', 'released'] as const)
  for (const membership of ['none', 'owner', 'admin', 'member', 'viewer'] as const)
    for (const grant of ['none', 'admin', 'member', 'viewer'] as const)
      for (const active of [true, false])
        for (const twoFactor of [true, false])
          for (const policy of [true, false])
            for (const custom of [true, false])
              everyCase.push({ ownership, membership, grant, custom, active, twoFactor, policy });

/** Without those that could differ from others only if what has no bearing on a right had one. */
const all = everyCase.filter(({ ownership, custom, active, twoFactor, policy }) => {
  // Whoever is deactivated gets nowhere; they are shown as such, whatever else is the matter.
  if (!active) return policy && !twoFactor && !custom;
  // The policy is one of workspaces, and custom roles are theirs too.
  if (ownership !== 'workspace') return policy !== twoFactor && !custom;
  return !custom || policy !== twoFactor;
});

/**
 * The rulings implemented a second time, without SQL: the role a person acts with, or undefined.
 */
function actsAs({
  ownership,
  membership,
  grant,
  active,
  twoFactor,
  policy,
}: Case): BuiltInRole | undefined {
  if (!active) return undefined;
  if (ownership === 'personal' && membership === 'owner') return 'admin';
  if (ownership !== 'workspace' || membership === 'none')
    return grant === 'none' ? undefined : grant;
  if (policy && !twoFactor) return undefined;
  if (membership === 'owner' || membership === 'admin' || grant === 'none') return membership;
  return grant;
}

/** Makes the case; `witness` is an owner-level person who can always list. */
async function build(c: Case) {
  const subject = await fixtures.user({ active: c.active, twoFactor: c.twoFactor });
  const witness = await fixtures.user({ twoFactor: true });
  const isOwner = c.membership === 'owner';
  const workspace = await fixtures.workspace(
    isOwner && c.ownership === 'workspace' ? subject : witness,
    {
      require2fa: c.policy,
    },
  );
  const given = (scope: 'workspace' | 'project', role: Role) =>
    c.custom ? fixtures.role(workspace, { name: `Acts as ${role}`, actsAs: role, scope }) : role;
  if (c.membership !== 'none' && c.membership !== 'owner')
    await fixtures.member(workspace, subject, await given('workspace', c.membership));
  const owner = {
    workspace: { organizationId: workspace },
    personal: { userId: isOwner ? subject.id : witness.id },
    released: {},
  }[c.ownership];
  const project = await fixtures.project(owner);
  if (c.grant !== 'none') await fixtures.grant(project, subject, await given('project', c.grant));
  if (c.ownership === 'workspace' ? isOwner : true)
    await fixtures.grant(project, witness, 'admin').catch(() => {});
  const task = await fixtures.task(project, witness);
  await fixtures.revision(task);
  return { subject, witness, workspace, project, task };
}

const statusOf = (role: BuiltInRole | undefined, permission: Permission) =>
  role !== undefined && may(role, permission) ? 200 : 403;

test('property: who is listed as able to open a project, who can open it, and the rulings agree in every combination', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), async (c) => {
      const { subject, witness, project, task } = await build(c);
      const role = actsAs(c);
      const path = `/api/projects/${project}/people`;
      const listed = (await request('GET', path, { key: witness.key })).body as Record<
        string,
        unknown
      >[];
      const row = listed.find(({ user_id }) => user_id === subject.id);
      assert.equal(
        listed.filter(({ user_id }) => user_id === subject.id).length,
        row === undefined ? 0 : 1,
        'listed twice',
      );

      const opened = await request('GET', path, { key: subject.key });
      assert.equal(opened.status, c.active ? statusOf(role, 'open_project') : 401);
      assert.equal(row?.is_active === true, opened.status === 200, 'listed and let in differ');
      const holds =
        c.grant !== 'none' ||
        (c.ownership === 'workspace' && c.membership !== 'none') ||
        (c.ownership === 'personal' && c.membership === 'owner');
      assert.equal(row !== undefined, holds, 'a grant is not shown to an admin');
      if (row?.is_active === false) {
        assert.equal(row.hidden_reason, c.active ? 'two_factor_required' : 'deactivated');
      }
      if (opened.status === 200) {
        const own = opened.body.find(({ user_id }: { user_id: string }) => user_id === subject.id);
        if (c.custom && role !== 'owner') assert.equal(own.effective_role_name, `Acts as ${role}`);
        else assert.equal(own.effective_role, role);
        if (!may(role as BuiltInRole, 'see_hidden_people')) {
          assert.ok(
            opened.body.every((person: Record<string, unknown>) => person.is_active === true),
          );
        }
      }
      if (c.active) {
        for (const page of ['', '?limit=200']) {
          const { body } = await request('GET', `/api/projects${page}`, { key: subject.key });
          const own = body.filter(({ id }: { id: string }) => id === project);
          const custom = c.custom && role !== 'owner';
          assert.deepEqual(
            own.map((each: Record<string, string>) => (custom ? each.role_name : each.role)),
            opened.status === 200 ? [custom ? `Acts as ${role}` : role] : [],
            'their own list and what they can open differ',
          );
        }
      }
      const approved = await request('POST', `/api/tasks/${task}/plan/approve`, {
        key: subject.key,
      });
      assert.equal(approved.status, c.active ? statusOf(role, 'approve_plan') : 401);
      const invitations = `/api/projects/${project}/invitations`;
      const invited = await request('POST', invitations, {
        key: subject.key,
        body: { email: `for-${subject.email}`, role: 'viewer' },
      });
      const seen = await request('GET', invitations, { key: subject.key });
      const invites = c.active ? statusOf(role, 'manage_project_people') : 401;
      assert.deepEqual([invited.status, seen.status], [invites === 200 ? 201 : invites, invites]);
    }),
    { examples: all.map((c) => [c] as [Case]), numRuns: all.length },
  );
});

test('workspace operations: allowed to exactly the roles of the table, refused to everyone else', async () => {
  const operations: [
    Permission,
    (w: string, t: string, o: string) => [string, string, unknown?],
  ][] = [
    [
      'update_team',
      (w, t) => ['PUT', `/api/organizations/${w}/teams/${t}`, { can_merge_production: true }],
    ],
    ['list_invitations', (w) => ['GET', `/api/organizations/${w}/invitations`]],
    [
      'transfer_ownership',
      (w, _, o) => ['POST', `/api/organizations/${w}/transfer-ownership`, { new_owner_user_id: o }],
    ],
    ['delete_workspace', (w) => ['DELETE', `/api/organizations/${w}`]],
  ];
  // A role on one project gives no right in its workspace: no role, and the highest one.
  const cases = all.filter(
    ({ ownership, grant }) => ownership === 'workspace' && (grant === 'none' || grant === 'admin'),
  );
  for (const c of cases) {
    const { subject, workspace } = await build(c);
    const team = await fixtures.team(workspace);
    const successor = await fixtures.user({ twoFactor: true });
    await fixtures.member(workspace, successor);
    const stuck = c.policy && !c.twoFactor;
    for (const [permission, operation] of operations) {
      const [method, path, body] = operation(workspace, team, successor.id);
      const reply = await request(method, path, { key: subject.key, body });
      const isMember = c.membership !== 'none';
      const allowed = isMember && !stuck && may(c.membership as BuiltInRole, permission);
      assert.equal(
        reply.status,
        !c.active ? 401 : allowed ? 200 : 403,
        `${permission} ${JSON.stringify(c)}`,
      );
      if (c.active && isMember && stuck) assert.equal(reply.body.code, 'two_factor_required');
      if (allowed && permission === 'transfer_ownership') {
        await db.many(
          sql`update organization set owner_user_id = ${subject.id} where id = ${workspace}`,
        );
      }
    }
  }
});

test('create_project: allowed by the role or by a team that may create projects, and by nothing else', async () => {
  for (const c of all.filter(
    ({ ownership, grant }) => ownership === 'workspace' && grant === 'none',
  )) {
    const { subject, workspace } = await build(c);
    const isMember = c.membership !== 'none';
    for (const team of isMember ? ['none', 'may not', 'may'] : ['none']) {
      if (team !== 'none') {
        const id = await fixtures.team(workspace);
        await db.many(
          sql`update team set can_create_projects = ${team === 'may'} where id = ${id}`,
        );
        await fixtures.teamMember(id, subject);
      }
      const reply = await request('POST', '/api/projects', {
        key: subject.key,
        body: {
          name: 'Web shop',
          organization_id: workspace,
          erp_version: '18.0',
          erp_edition: 'community',
        },
      });
      const allowed =
        isMember &&
        (!c.policy || c.twoFactor) &&
        (team === 'may' || may(c.membership as BuiltInRole, 'create_project'));
      assert.equal(
        reply.status,
        !c.active ? 401 : allowed ? 201 : 403,
        `${team} ${JSON.stringify(c)}`,
      );
    }
  }
});
