import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { deniedBecause, type InProject, standing } from './project.ts';
import type { Permission } from './roles.ts';

/** A connection to Odoo, and its project. The secret is sealed. */
export interface OfConnection extends InProject {
  connection_id: string;
  url: string;
  database: string | null;
  login: string | null;
  kind: 'api_key' | 'password';
  environment: 'production' | 'staging' | 'development';
  agent_access: 'none' | 'read' | 'write';
  secret: Buffer | null;
  secret_key_id: string | null;
}

/** What a project may have, so that a list of them stays short. */
export const MOST_CONNECTIONS = 20;

/** SQL: whether a project, by its id, may have one more. */
export const hasRoomForConnection = (projectId: Sql): Sql => sql`
  (select count(*) from odoo_connection c where c.project_id = ${projectId}) < ${MOST_CONNECTIONS}`;

/** SQL: whether a connection `c` can be activated in a task. */
export const canBeActivated: Sql = sql`c.agent_access <> 'none' and c.secret is not null`;

const columns = sql`
  c.id as connection_id, c.url, c.database, c.login, c.kind, c.environment, c.agent_access,
  c.secret, c.secret_key_id`;

const access = (from: Sql, more: Sql, permission: Permission): Sql => sql`
  access as materialized (
    select true as found, p.id as project_id, p.organization_id, standing.acts_as, ${columns},
           ${more} ${deniedBecause(permission)} as denied_because
      from ${from} ${standing})`;

/** The connection in the path, of the project in the path, by the permissions on the project. */
export const onConnection = (
  permission: Permission,
): Access<{ params: { project_id: string; connection_id: string } }, OfConnection> => ({
  permission,
  sql: ({ params: { project_id, connection_id } }, lock) =>
    access(
      sql`
        (select * from odoo_connection
          where id = ${connection_id} and project_id = ${project_id}
          ${lock ? sql`for no key update` : nothing}) c
        join project p on p.id = c.project_id`,
      nothing,
      permission,
    ),
});

/**
 * The connection in the path, of the project of the task in the path, by the permissions on the
 * project. It need not be active in the task.
 */
export const onTaskConnection = (
  permission: Permission,
): Access<
  { params: { task_id: string; connection_id: string } },
  OfConnection & { task_id: string }
> => ({
  permission,
  sql: ({ params: { task_id, connection_id } }, lock) =>
    access(
      sql`
        (select id, project_id from task where id = ${task_id}) t
        join (select * from odoo_connection
               where id = ${connection_id} ${lock ? sql`for no key update` : nothing}) c
          on c.project_id = t.project_id
        join project p on p.id = t.project_id`,
      sql`t.id as task_id,`,
      permission,
    ),
});
