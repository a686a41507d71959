import Type from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../../access/actions.ts';
import { OWNER } from '../../access/built-in-roles.ts';
import { inTeamThatCreates } from '../../access/new-project.ts';
import { hasOpenMoney } from '../../billing/index.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, color, slug, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

/** The operations on a workspace, each with who may call it. */
export const workspaceActions: Actions = {
  get_workspace: 'see_workspace',
  update_workspace: 'update_workspace',
  delete_workspace: { permission: 'delete_workspace', when: sql`not ${hasOpenMoney(sql`t.id`)}` },
  transfer_ownership: 'transfer_ownership',
  leave_workspace: {
    permission: 'leave_workspace',
    when: sql`t.owner_user_id <> caller.user_id`,
  },
  list_members: 'see_members',
  list_pending_invitations: 'list_invitations',
  create_invitation: 'invite',
  list_roles: 'see_workspace',
  create_role: 'manage_roles',
  list_teams: 'see_members',
  list_github_installations: 'see_workspace',
  list_gitea_connections: 'see_workspace',
  create_gitea_connection: 'update_workspace',
  create_team: 'create_team',
  create_project: { permission: 'create_project', or: inTeamThatCreates(sql`t.id`) },
  get_workspace_usage: 'see_usage',
  export_workspace_usage: 'see_usage',
  get_workspace_balance: 'see_billing',
  list_workspace_payment_methods: 'see_billing',
  get_workspace_billing_details: 'see_billing',
  update_workspace_billing_details: 'add_funds',
  list_workspace_invoices: 'see_billing',
  list_workspace_transactions: 'see_billing',
  export_workspace_transactions: 'see_billing',
  add_workspace_funds: 'add_funds',
  begin_workspace_top_up: 'add_funds',
  get_workspace_auto_reload: 'see_billing',
  update_workspace_auto_reload: 'add_funds',
  get_workspace_spend_limits: 'see_billing',
  update_workspace_spend_limits: 'set_spend_limits',
  list_audit_events: 'see_audit_trail',
  list_workspace_webhooks: 'manage_webhooks',
  create_workspace_webhook: 'manage_webhooks',
  list_service_accounts: 'manage_service_accounts',
  create_service_account: 'manage_service_accounts',
  export_audit_events: 'see_audit_trail',
  export_workspace: 'export_workspace',
  get_workspace_instructions: 'see_workspace',
  set_workspace_instructions: 'update_workspace',
};

/**
 * A workspace as the caller sees it (`caller`), from a row `t` of `organization`, the role `r` that
 * they have there, and its `counts`.
 */
export const workspace = resource(
  'Workspace',
  {
    id: [uuid(), sql`t.id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
    name: [name({ maxLength: 100 }), sql`t.name`, 'Acme', 'writable'],
    color: [color(), sql`t.color`, '#3355AA', 'clearable'],
    icon: [slug({ maxLength: 100 }), sql`t.icon`, 'rocket', 'clearable'],
    require_2fa: [
      boolean({
        description: 'Whether members can only act here with two-factor authentication.',
      }),
      sql`t.require_2fa`,
      false,
      'writable',
    ],
    admins_manage_admins: [
      boolean({ description: 'Whether admins may make and unmake admins. The owner decides.' }),
      sql`t.admins_manage_admins`,
      true,
      'writable',
    ],
    role: [
      Type.String({ pattern: ROLE_SLUG, description: "The caller's role." }),
      sql`r.slug`,
      'owner',
    ],
    role_id: [uuid(), sql`r.id`, '00000000-0000-4000-8000-000000000001'],
    role_name: [Type.String(), sql`r.name`, 'Owner'],
    role_color: [color(), sql`r.color`, '#7C3AED'],
    is_owner: [Type.Boolean(), sql`t.owner_user_id = caller.user_id`, true],
    member_count: [Type.Integer(), sql`counts.members`, 3],
    project_count: [Type.Integer(), sql`counts.projects`, 2],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
    available_actions: [
      actionsSchema(),
      sql`case when t.require_2fa and not caller.two_factor then '[]'
               else ${availableActions(sql`r.acts_as`, workspaceActions)} end`,
      Object.keys(workspaceActions),
    ],
  },
  { workspace: 'id' },
);

/** Joins to a workspace `t` and a membership `m` what the resource reads: role `r` and `counts`. */
export const roleAndCounts = sql`
  join role r on r.id = case when t.owner_user_id = m.user_id then ${OWNER} else m.role_id end
  cross join lateral (
    select (select count(*) from membership where organization_id = t.id) as members,
           (select count(*) from project where organization_id = t.id) as projects) counts`;

/** Joins to a workspace `t` the caller, and all else that the resource reads. */
export const asSeenByCaller = sql`
  cross join caller
  join membership m on m.organization_id = t.id and m.user_id = caller.user_id ${roleAndCounts}`;

export const workspaceChanged = apiError(
  412,
  'workspace_changed',
  'The workspace has changed since you read it: read it again, then update it',
);

// So that no one locks themselves out.
export const needsTwoFactor = fieldError(
  'two_factor_required',
  ['body', 'require_2fa'],
  'You cannot require what you do not have: enable two-factor authentication for yourself first',
);
