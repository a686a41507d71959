import Type from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../../access/actions.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { AGENT_ACCESS, ENVIRONMENTS } from './connection.ts';

/** What a person may do to a connection that is active in a task. */
const taskConnectionActions: Actions = {
  deactivate_odoo_connection: 'work_on_task',
};

/** A connection that is active in a task, from a row `t` of `activeIn` beside `authorized`. */
export const taskConnection = resource(
  'TaskOdooConnection',
  {
    connection_id: [uuid(), sql`t.connection_id`, 'a3bb189e-8bf9-4c8b-9f0e-1c2d3e4f5a6b'],
    task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    name: [Type.String(), sql`t.name`, 'Staging'],
    url: [Type.String(), sql`t.url`, 'https://erp.example.com'],
    environment: [oneOf([...ENVIRONMENTS]), sql`t.environment`, 'staging'],
    agent_access: [
      oneOf([...AGENT_ACCESS], { description: 'With `none`, its agent is refused.' }),
      sql`t.agent_access`,
      'read',
    ],
    has_secret: [boolean(), sql`t.secret is not null`, true],
    erp_version: [Type.Optional(Type.String()), sql`t.erp_version`, '19.0'],
    edition: [oneOf(['community', 'enterprise', 'unknown']), sql`t.edition`, 'community'],
    activated_by_user_id: [
      uuid(),
      sql`t.activated_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    activated_at: [timestamp(), sql`t.activated_at`, '2026-11-21T08:15:30.123Z'],
    available_actions: [
      actionsSchema(),
      availableActions(sql`authorized.acts_as`, taskConnectionActions),
      Object.keys(taskConnectionActions),
    ],
  },
  { project: 'project_id' },
);

/** SQL: the rows of these activations with what is shown of their connections. */
export const shownOf = (active: Sql): Sql => sql`
  (select a.task_id, a.connection_id, a.activated_by_user_id, a.activated_at, c.name, c.url,
          c.environment, c.agent_access, c.secret, c.erp_version, c.edition
     from ${active} a join odoo_connection c on c.id = a.connection_id)`;

export const notForAgents = apiError(
  409,
  'odoo_connection_not_for_agents',
  'Agents may not use this connection: an admin of the project can change its agent_access',
);

export const withoutSecret = apiError(
  409,
  'odoo_connection_without_secret',
  'This connection has no secret: an admin of the project can set one',
);
