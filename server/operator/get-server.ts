import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

const shown = Type.Object(
  {
    version: Type.String({ description: 'Of the server process that answers.' }),
    node_version: Type.String(),
    postgres_version: Type.String(),
    database_bytes: Type.Integer(),
    migrations: Type.Array(Type.Object({ name: Type.String(), applied_at: timestamp() }), {
      description: 'The last ten, newest first.',
    }),
    users: Type.Integer({ description: 'People who are active.' }),
    workspaces: Type.Integer(),
    turns_queued: Type.Integer({ description: 'Those of paused tasks included.' }),
    turns_running: Type.Integer(),
    dead_mails: Type.Integer(),
    failed_deliveries: Type.Integer({ description: 'Of webhooks, in the last 30 days.' }),
    tasks_wait_because: Type.Optional(
      Type.String({ description: 'Why no process carries out tasks; left out while one does.' }),
    ),
  },
  { $id: 'Server' },
);

type Shown = Record<string, unknown>;

/** What runs here, and what needs somebody. */
export const getServer = ({ config: { version } }: { config: { version: string } }) =>
  route({
    method: 'GET',
    path: '/api/operator/server',
    area: 'Operation',
    operationId: 'get_server',
    summary: 'Get the state of the server',
    description:
      'Versions, the size of the database, migrations, and counts of what needs somebody. ' +
      'Operators only.',
    access: asOperator,
    responses: {
      200: {
        description: 'The server now.',
        schema: shown,
        example: {
          version: '0.1.0',
          node_version: '26.10.0',
          postgres_version: '18.1',
          database_bytes: 52_428_800,
          migrations: [{ name: '0024-operators.sql', applied_at: '2026-11-21T08:15:30.123Z' }],
          users: 12,
          workspaces: 3,
          turns_queued: 0,
          turns_running: 2,
          dead_mails: 0,
          failed_deliveries: 0,
        },
      },
    },
    errors: [operatorRequired],
    handle: ({ statement }) =>
      statement<{ state: Shown }>({ select: state }, (row) => ({
        status: 200,
        body: { version, node_version: process.versions.node, ...row.state },
      })),
  });

const state = sql`
  select json_strip_nulls(json_build_object(
           'postgres_version', current_setting('server_version'),
           'database_bytes', pg_database_size(current_database()),
           'migrations', (
             select json_agg(json_build_object('name', name, 'applied_at',
                      to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
               from (select name, applied_at from schema_migration
                      order by name desc limit 10) last),
           'users', (select count(*) from app_user where is_active and kind = 'person'),
           'workspaces', (select count(*) from organization),
           'turns_queued', (select count(*) from task_turn
                             where state in ('queued', 'interrupted')),
           'turns_running', (select count(*) from task_turn where state in ('running', 'waiting')),
           'dead_mails', (select count(*) from mail where status = 'dead'),
           'failed_deliveries', (select count(*) from webhook_delivery where state = 'failed'),
           'tasks_wait_because', why_tasks_wait())) as state
    from authorized`;
