import Type, { type TSchema } from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../access/actions.ts';
import { hasRoomForConnection } from '../access/odoo-connection.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { boolean, color, nullable, oneOf, usdAmount, uuid } from '../http/input/fields.ts';
import { name } from '../http/input/names.ts';
import { ROLE_SLUG, resource, usd, usdSql } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** What a person may do to a project. */
export const projectActions: Actions = {
  get_project: 'open_project',
  update_project: 'update_project',
  list_project_people: 'open_project',
  delete_project: 'delete_project',
  transfer_project: 'transfer_project',
  claim_project: {
    permission: 'claim_project',
    when: sql`t.organization_id is null and t.owner_user_id is null`,
  },
  set_person_role: 'manage_project_people',
  list_project_invitations: 'manage_project_people',
  create_project_invitation: 'manage_project_people',
  list_tasks: 'open_project',
  get_project_usage: 'see_usage',
  export_project_usage: 'see_usage',
  create_task: { permission: 'create_task', when: sql`t.archived_at is null` },
  create_project_attachment: 'attach_file',
  list_repositories: 'open_project',
  list_deploys: 'open_project',
  get_merge_targets: 'open_project',
  get_project_instructions: 'open_project',
  set_project_instructions: 'update_project',
  set_merge_targets: 'update_project',
  list_variables: 'update_project',
  get_project_mute: 'open_project',
  mute_project: 'open_project',
  unmute_project: 'open_project',
  list_project_webhooks: 'manage_webhooks',
  create_project_webhook: 'manage_webhooks',
  list_routines: 'open_project',
  create_routine: 'manage_routines',
  set_variable: 'update_project',
  list_mcp_servers: 'update_project',
  set_mcp_server: 'update_project',
  get_network: 'open_project',
  set_network: 'update_project',
  get_environment: 'open_project',
  set_environment: 'update_project',
  list_odoo_connections: 'open_project',
  create_odoo_connection: {
    permission: 'update_project',
    when: hasRoomForConnection(sql`t.id`),
  },
  get_odoo_dump: {
    permission: 'open_project',
    when: sql`exists (select from odoo_dump d where d.project_id = t.id)`,
  },
  upload_odoo_dump: 'update_project',
  delete_odoo_dump: {
    permission: 'update_project',
    when: sql`exists (select from odoo_dump d where d.project_id = t.id)`,
  },
  attach_repository: { permission: 'update_project', when: sql`t.archived_at is null` },
};

const erpVersion = () =>
  Type.String({
    minLength: 1,
    maxLength: 20,
    pattern: '^[0-9A-Za-z][0-9A-Za-z.~-]*$',
    description: 'A version that `get_config` lists, such as `19.0`.',
  });
const model = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[0-9A-Za-z][0-9A-Za-z._:/-]*$',
    description: 'The model of a task that names none; without it, the default of the catalog.',
  });
const spendCap = () =>
  usdAmount({
    minimum: 0.01,
    maximum: 1_000_000,
    description: 'USD that the tasks of the project may cost in all.',
  });

/**
 * A project, and what the caller may do there, from a row `t` of `project` and the row `acting` of
 * the caller's role on it.
 */
const shape = resource(
  'Project',
  {
    id: [uuid(), sql`t.id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
    name: [name({ maxLength: 200 }), sql`t.name`, 'Web shop', 'writable'],
    organization_id: [
      maybe(uuid({ description: 'The workspace that owns the project.' })),
      sql`t.organization_id`,
      '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    ],
    owner_user_id: [
      maybe(uuid({ description: 'The person whose personal project it is.' })),
      sql`t.owner_user_id`,
      undefined,
    ],
    erp_version: [erpVersion(), sql`t.erp_version`, '18.0', 'writable'],
    erp_edition: [oneOf(['community', 'enterprise']), sql`t.erp_edition`, 'community', 'writable'],
    default_model: [maybe(model()), sql`t.default_model`, undefined],
    plan_approval: [
      oneOf(['required', 'automatic'], {
        description: 'Whether a person approves a plan before the agent starts.',
      }),
      sql`t.plan_approval`,
      'required',
      'writable',
    ],
    direct_push: [
      oneOf(['nobody', 'admins'], {
        description:
          'Who may push to branches that are not of tasks. Each such push is recorded in the audit ' +
          'trail. `nobody`: tasks are merged instead.',
      }),
      sql`t.direct_push`,
      'nobody',
      'writable',
    ],
    spend_cap: [
      maybe(
        usd({
          description: 'USD that the tasks of the project may cost in all, deleted ones included.',
        }),
      ),
      sql`t.spend_cap`,
      '250.00',
    ],
    archived: [
      boolean({ description: 'Whether the project is hidden from lists and takes no new tasks.' }),
      sql`t.archived_at is not null`,
      false,
    ],
    archived_at: [maybe(timestamp()), sql`t.archived_at`, undefined],
    role: [
      Type.String({ pattern: ROLE_SLUG, description: 'What the caller acts as on this project.' }),
      sql`acting.slug`,
      'owner',
    ],
    role_id: [uuid(), sql`acting.id`, '00000000-0000-4000-8000-000000000001'],
    role_name: [Type.String(), sql`acting.name`, 'Owner'],
    role_color: [color(), sql`acting.color`, '#7C3AED'],
    task_count: [Type.Integer(), sql`(select count(*) from task where project_id = t.id)`, 4],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
    available_actions: [
      actionsSchema(),
      availableActions(
        // The user of a personal project acts as its admin, and also may what only an owner may.
        sql`case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end`,
        projectActions,
      ),
      Object.keys(projectActions),
    ],
  },
  { project: 'id' },
);

export const project = {
  ...shape,
  /** The body of an update: `null` clears what may be empty, and `archived` sets `archived_at`. */
  changes: Type.Object(
    {
      ...shape.changes.properties,
      default_model: maybe(nullable(model())),
      spend_cap: maybe(nullable(spendCap())),
      archived: maybe(boolean()),
    },
    { additionalProperties: false },
  ),
  snapshot: (row: Sql) => sql`
    jsonb_build_object(
      'name', (${row}).name,
      'erp_version', (${row}).erp_version,
      'erp_edition', (${row}).erp_edition,
      'default_model', (${row}).default_model,
      'plan_approval', (${row}).plan_approval,
      'direct_push', (${row}).direct_push,
      'spend_cap', ${usdSql(sql`(${row}).spend_cap`)},
      'archived', (${row}).archived_at is not null)`,
};

/** The body of a new project, without the workspace that it may belong to. */
export const newProject = {
  name: shape.writable.name,
  erp_version: maybe(shape.writable.erp_version),
  erp_edition: maybe(shape.writable.erp_edition),
  default_model: maybe(model()),
  plan_approval: maybe(shape.writable.plan_approval),
  spend_cap: maybe(spendCap()),
};

/**
 * Joins to `authorized` what the resource reads beside the project: the caller, and their role on
 * it.
 */
export const asSeenByCaller = sql`
  cross join caller
  join role acting on acting.id = authorized.role_id`;

export const projectChanged = apiError(
  412,
  'project_changed',
  'The project has changed since you read it: read it again, then update it',
);
