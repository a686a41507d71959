import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Actions, reads } from '../../access/actions.ts';
import type { Permission } from '../../access/roles.ts';
import { pullRequestActions } from '../../code/pull-requests/pull-request.ts';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { workspaceActions } from '../../organizations/workspaces/workspace.ts';
import { projectActions } from '../../projects/project.ts';
import { planActions } from '../../tasks/plans/plan.ts';
import { taskActions } from '../../tasks/task-actions.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { membersOf } from './members.ts';
import {
  type Change,
  makeTenant,
  requestSample,
  type Standing,
  successOf,
  type Tenant,
} from './tenant.ts';

// What an object lists as available to its caller is exactly what they can call now.

const harness = await startHarness({ github: await startGithub() });
const { db, fixtures, routes } = harness;

/** The things with `available_actions`: their table, and the operation that shows one. */
const SUBJECTS: Record<string, { actions: Actions; get: string }> = {
  workspace: { actions: workspaceActions, get: 'get_workspace' },
  project: { actions: projectActions, get: 'get_project' },
  task: { actions: taskActions, get: 'get_task' },
  plan: { actions: planActions, get: 'get_plan' },
  // 'pull request': server/code/pull-requests/pull-request.test.ts
};

const routeOf = (operationId: string): Route =>
  routes.find((each) => each.operationId === operationId) ?? assert.fail(`no ${operationId}`);

/** The actions on one thing that need more than what every tenant has. */
const NEEDY = ['transfer_project', 'activate_odoo_connection', 'get_odoo_dump'].map(routeOf);

const newTenant = (standing: Standing) => makeTenant(harness, standing, { only: NEEDY });

/** How a caller may stand, beside what the table of roles says: each makes it so in a tenant. */
const SITUATIONS: Record<string, () => Promise<Tenant>> = {
  ...Object.fromEntries(
    (['owner', 'admin', 'member', 'viewer', 'collaborator', 'stranger'] satisfies Standing[]).map(
      (standing) => [standing, () => newTenant(standing)],
    ),
  ),
  ...Object.fromEntries(
    (['admin', 'member', 'viewer'] as const).map((actsAs) => [
      `custom role that acts as ${actsAs}`,
      async () => {
        const tenant = await newTenant('stranger');
        const workspace = tenant.ids.org_id as string;
        await fixtures.member(workspace, tenant.caller, await fixtures.role(workspace, { actsAs }));
        return tenant;
      },
    ]),
  ),
  'admin without the second factor that the workspace requires': async () => {
    const tenant = await newTenant('admin');
    await db.many(sql`update organization set require_2fa = true where id = ${tenant.ids.org_id}`);
    return tenant;
  },
  'owner with a read-only key': async () => {
    const tenant = await newTenant('owner');
    await db.many(sql`update api_key set read_only = true where user_id = ${tenant.caller.id}`);
    return tenant;
  },
  'viewer in a team that may create projects': async () => {
    const tenant = await newTenant('viewer');
    const team = tenant.ids.team_id as string;
    await db.many(sql`update team set can_create_projects = true where id = ${team}`);
    await fixtures.teamMember(team, tenant.caller);
    return tenant;
  },
  'member with a task that is queued': async () => {
    const tenant = await newTenant('member');
    await fixtures.message(tenant.ids.task_id as string, tenant.owner);
    return tenant;
  },
  'member with a task that has failed': async () => {
    const tenant = await newTenant('member');
    const task = tenant.ids.task_id as string;
    await fixtures.turn(task, { state: 'failed' });
    await fixtures.taskStatus(task, 'failed');
    return tenant;
  },
  'member who created the task': async () => {
    const tenant = await newTenant('member');
    const { task_id } = tenant.ids;
    await db.many(sql`
      update task set created_by_user_id = ${tenant.caller.id} where id = ${task_id}`);
    return tenant;
  },
  'viewer who created the task': async () => {
    const tenant = await newTenant('viewer');
    const { task_id } = tenant.ids;
    await db.many(sql`
      update task set created_by_user_id = ${tenant.caller.id} where id = ${task_id}`);
    return tenant;
  },
  'owner of an archived project': async () => {
    const tenant = await newTenant('owner');
    await db.many(sql`update project set archived_at = now() where id = ${tenant.ids.project_id}`);
    return tenant;
  },
  'owner of a workspace in debt': async () => {
    const tenant = await newTenant('owner');
    await fixtures.fund({ organizationId: tenant.ids.org_id as string }, '-50.00');
    return tenant;
  },
};

/**
 * What a sample leaves out: the workspace in which to create something, and the word that overrides
 * what would stop the caller, because a blocker that they may override makes nothing unavailable.
 */
function aboutIt(subject: string, { body }: Route, { ids }: Tenant): Change {
  const { force, organization_id } = Object.fromEntries(membersOf(body));
  if (subject === 'workspace' && organization_id !== undefined)
    return { body: { organization_id: ids.org_id } };
  return force === undefined ? {} : { body: { force: true } };
}

/** The thing that a path is about, if it names that one by its id and nothing else. */
function subjectOf({ path, operationId }: Route): string | undefined {
  if (operationId in pullRequestActions) return 'pull request';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).join();
  if (names === 'task_id') return path.startsWith('/api/tasks/{task_id}/plan') ? 'plan' : 'task';
  return { org_id: 'workspace', project_id: 'project' }[names];
}

test('each operation that is about one thing and nothing else is an action on it', () => {
  const missing = routes.filter((route) => {
    const actions = SUBJECTS[subjectOf(route) ?? '']?.actions;
    return actions !== undefined && !(route.operationId in actions);
  });
  assert.deepEqual(
    missing.map((route) => `${route.operationId} of a ${subjectOf(route)}`),
    [],
  );
});

/** What is asked for by operations that are an available action of nothing, such as one on a team. */
const ASKED_FOR: Partial<Record<Permission, string[]>> = {
  add_funds: ['share_payment_method', 'unshare_payment_method'],
  delete_attachment: ['delete_attachment'],
  delete_task: ['delete_message'],
  delete_team: ['delete_team'],
  invite: ['resend_invitation', 'revoke_invitation'],
  manage_members: ['remove_member', 'update_member'],
  manage_project_people: ['remove_person', 'revoke_project_invitation'],
  manage_roles: ['delete_role', 'update_role'],
  manage_routines: ['delete_routine', 'rotate_routine_token', 'run_routine', 'update_routine'],
  manage_service_accounts: ['delete_service_account', 'update_service_account'],
  manage_team: ['add_team_member', 'add_team_project', 'remove_team_member', 'remove_team_project'],
  manage_webhooks: [
    'delete_webhook',
    'get_webhook',
    'list_webhook_deliveries',
    'resend_webhook_delivery',
    'rotate_webhook_secret',
    'test_webhook',
    'update_webhook',
  ],
  open_project: [
    'get_artifact',
    'get_artifact_content',
    'get_attachment_content',
    'get_check_log',
    'get_deploy',
    'get_deploy_log',
    'get_odoo_connection',
    'get_plan_version',
    'get_repository_import',
    'list_branches',
    'list_routine_runs',
  ],
  see_billing: ['get_workspace_invoice', 'get_workspace_invoice_pdf'],
  see_members: ['get_team', 'list_team_members', 'list_team_projects'],
  see_workspace: ['get_role'],
  update_project: [
    'cancel_repository_import',
    'delete_mcp_server',
    'delete_odoo_connection',
    'delete_variable',
    'detach_repository',
    'import_repository',
    'update_odoo_connection',
  ],
  update_team: ['update_team'],
  update_workspace: ['delete_gitea_connection'],
  work_on_task: [
    'answer_request',
    'deactivate_odoo_connection',
    'delete_diff_comment',
    'delete_plan_comment',
    'probe_odoo_connection',
    'update_diff_comment',
    'update_plan_comment',
  ],
};

test('each other operation asks for the permission of this list', () => {
  const actions = Object.values(SUBJECTS).flatMap((subject) => Object.keys(subject.actions));
  const known = new Set([...actions, ...Object.keys(pullRequestActions)]);
  const asked = routes.flatMap(({ access: { permission }, operationId }) =>
    permission === undefined || known.has(operationId) ? [] : [`${operationId}: ${permission}`],
  );
  const expected = Object.entries(ASKED_FOR).flatMap(([permission, names]) =>
    names.map((name) => `${name}: ${permission}`),
  );
  assert.deepEqual(asked.sort(), expected.sort());
});

const same = (some: string[], others: string[]) => some.join() === others.join();

for (const [subject, { actions, get }] of Object.entries(SUBJECTS)) {
  test(`${subject}: the permission of each available action is the one of the operation itself`, () => {
    for (const [name, rule] of Object.entries(actions)) {
      const route = routeOf(name);
      const permission = typeof rule === 'string' ? rule : rule.permission;
      assert.equal(route.access.permission, permission, name);
      assert.equal(route.method === 'GET', reads(name), `${name} is named like another method`);
    }
  });

  for (const [situation, make] of Object.entries(SITUATIONS)) {
    test(`${subject}, ${situation}: every action that is available succeeds, every other is refused`, async () => {
      const listedFor = async (tenant: Tenant): Promise<string[]> => {
        const { status, body } = await requestSample(harness, routeOf(get), tenant);
        return status === 200 ? body.available_actions : [];
      };
      /** Samples may be about another object than the one that is shown. */
      const perform = (name: string, tenant: Tenant) =>
        requestSample(harness, routeOf(name), tenant, {
          ids: tenant.ids,
          ...aboutIt(subject, routeOf(name), tenant),
        });
      let tenant = await make();
      const available = await listedFor(tenant);
      assert.deepEqual(new Set(available).size, available.length, 'an action is listed twice');
      for (const name of available) assert.ok(name in actions, name);
      for (const name of Object.keys(actions).filter((each) => !available.includes(each))) {
        const { status, text } = await perform(name, tenant);
        assert.ok(status === 403 || status === 409, `${name} is not listed: ${status} ${text}`);
      }
      for (const name of available) {
        const { status, body, text } = await perform(name, tenant);
        // The sample of a comment names a commit that the task has not: the rights were enough.
        const isNoCommit = status === 422 && body.detail[0].type === 'commit_not_compared';
        assert.ok(status === successOf(routeOf(name)) || isNoCommit, `${name}: ${status} ${text}`);
        if (reads(name)) continue;
        // Another one where this action has changed what can be done, or with whom.
        const goesElsewhere = /^(remove|transfer)_/.test(name);
        if (goesElsewhere || !same(await listedFor(tenant), available)) tenant = await make();
      }
    });
  }
}
