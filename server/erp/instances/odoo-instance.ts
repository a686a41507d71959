import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { whyItWaits } from '../../platform/why-it-waits.ts';
import { waitsForDump } from '../dumps/waits-for-dump.ts';
import { INSTANCE_STATES, UNPAID_CODES } from './instance-states.ts';

const maybe = Type.Optional;

const WAITS_FOR_DUMP = 'It waits until the dump of the project is prepared.';

/** The throwaway ERP system of a task, from a row `t` of `erp_instance`. */
export const odooInstance = resource(
  'OdooInstance',
  {
    id: [uuid(), sql`t.id`, '3f2b1c0d-9e8f-4a7b-8c6d-5e4f3a2b1c0d'],
    task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    status: [
      oneOf(
        INSTANCE_STATES.filter((state) => state !== 'ended'),
        {
          description:
            '`starting`: a worker makes it ready. `running`: agents of the task reach it. ' +
            '`stopping`: it is being removed. `failed`: see `reason`.',
        },
      ),
      sql`t.state`,
      'running',
    ],
    reason: [
      maybe(
        Type.String({ description: 'Why it has failed, or what it waits for, as a sentence.' }),
      ),
      sql`coalesce(t.reason, ${whyItWaits(sql`t.state = 'starting'`)},
                   case when t.state = 'starting' and ${waitsForDump(sql`t`)}
                        then ${WAITS_FOR_DUMP}::text end)`,
      undefined,
    ],
    reason_code: [
      maybe(
        oneOf([...UNPAID_CODES], {
          description:
            'Why it was ended although nothing was wrong with it: the balance is used up, the ' +
            'account is not active, or a spend limit of the month is reached.',
        }),
      ),
      sql`case when t.state = 'failed' then t.reason_code end`,
      undefined,
    ],
    url: [
      maybe(
        Type.String({
          description:
            'Where people reach it. Left out where only agents do, and until it is ready.',
        }),
      ),
      sql`t.url`,
      'https://3f2b1c0d.erp.example.com',
    ],
    commit_sha: [
      maybe(
        Type.String({
          description:
            'The commit whose Odoo modules it runs. Left out where it runs none of the repository.',
        }),
      ),
      sql`t.commit_sha`,
      '8f14e45fceea167a5a36dedd4bea2543f0f6ad21',
    ],
    broken_sha: [
      maybe(
        Type.String({
          description:
            'The last commit of the branch, where Odoo could not install or update its modules: ' +
            'it then runs `commit_sha` as before.',
        }),
      ),
      sql`t.broken_sha`,
      undefined,
    ],
    problem: [
      maybe(
        Type.String({
          description:
            'Why it does not run the last commit of the branch: what Odoo has said, with its ' +
            'traceback, or a sentence.',
        }),
      ),
      sql`t.problem`,
      undefined,
    ],
    erp_version: [
      Type.String({ description: 'That of the project when it was started.' }),
      sql`t.erp_version`,
      '19.0',
    ],
    edition: [oneOf(['community', 'enterprise']), sql`t.edition`, 'community'],
    database: [
      Type.String({ description: 'The name of its database.' }),
      sql`t.database_name`,
      'guildhall_3f2b1c0d9e8f4a7b8c6d5e4f3a2b1c0d',
    ],
    data: [
      maybe(
        oneOf(['empty', 'demo', 'dump'], {
          description:
            'What its database began with: `empty`, `demo` data, or the `dump` of the project, ' +
            'neutralised. Left out until it was ready, and where its program does not say.',
        }),
      ),
      sql`t.data`,
      'dump',
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
    ready_at: [
      maybe({ ...timestamp(), description: 'When it was ready last.' }),
      sql`t.ready_at`,
      '2026-11-21T08:15:32.456Z',
    ],
    expires_at: [
      { ...timestamp(), description: 'When it ends with its data, unless it is used before.' },
      sql`t.expires_at`,
      '2026-11-21T12:15:30.123Z',
    ],
  },
  { revision: sql`t.state` },
);

/** SQL: the newest instance `t` of a task, if it has not ended. */
export const currentInstance = (taskId: Sql): Sql => sql`
  (select newest.* from (
     select * from erp_instance i where i.task_id = ${taskId}
      order by i.created_at desc, i.id desc limit 1) newest
    where newest.state <> 'ended')`;

export const instanceNotFound = apiError(
  404,
  'odoo_instance_not_found',
  'This task has no ERP instance: start one first',
);
export const notConfigured = apiError(
  409,
  'erp_instances_not_configured',
  'This server runs no ERP instances: ask its operator to set ERP_INSTANCES (docs/erp.md)',
);
export const versionNotRunnable = apiError(
  409,
  'erp_version_not_runnable',
  'This server runs no instances of the ERP version and edition of the project: ask its operator ' +
    'to add them, or choose others for the project',
);
export const instanceNotRunning = apiError(
  409,
  'odoo_instance_not_running',
  'The ERP instance of this task does not run now: wait until it is ready, or start one',
);
export const instanceNotOpen = apiError(
  409,
  'odoo_instance_not_open',
  'People are not signed in to ERP instances here: ask the operator of this server to set ' +
    'ERP_INSTANCES_LISTEN (docs/erp.md)',
);
export const instanceStopping = apiError(
  409,
  'odoo_instance_stopping',
  'The ERP instance of this task is being removed: wait until it is gone, then start another one',
);
export const instanceLimit = apiError(
  409,
  'erp_instance_limit',
  'As many ERP instances run as may at the same time: stop that of another task first',
);
export const instanceOfArchived = apiError(
  409,
  'task_archived',
  'The task is archived: take it out of the archive first',
);
