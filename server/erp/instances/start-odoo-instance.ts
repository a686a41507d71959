import { randomUUID } from 'node:crypto';
import { onLockedTask } from '../../access/task.ts';
import { requirePayer, unpaidErrors } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { ids, type Route, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { dumpFailed, dumpOfOtherVersion } from '../dumps/odoo-dump.ts';
import { LIVE_STATES } from './instance-states.ts';
import {
  currentInstance,
  instanceLimit,
  instanceOfArchived,
  instanceStopping,
  notConfigured,
  odooInstance,
  versionNotRunnable,
} from './odoo-instance.ts';
import type { InstanceSettings } from './offered.ts';

/** `erps`: the versions and editions that can be run, each as "version edition". */
export interface InstanceServices {
  instances: InstanceSettings;
  erps: readonly string[];
}

/** Starts the throwaway ERP system of a task. */
export const startOdooInstance = ({
  instances: settings,
  erps: offered,
}: InstanceServices): Route =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/odoo-instance',
    area: 'Odoo Connections',
    operationId: 'start_odoo_instance',
    wakes: true,
    summary: 'Start the ERP instance of a task',
    description:
      'Asks for an ERP system of the version and edition of the project, with an empty database or ' +
      'a copy of the dump of the project. ' +
      'A worker makes it ready, and `get_odoo_instance` shows when it is: 202. If the task has ' +
      'one that is starting or running, that one is kept longer: 200. It ends when it was not ' +
      'used for a while, when the balance is used up or a spend limit of the month is reached, ' +
      'and with its task. Members of the project may.',
    access: onLockedTask('work_on_task'),
    params: ids('task_id'),
    responses: {
      200: odooInstance.shown('The instance that there is.', []),
      202: odooInstance.shown('An instance that will be made ready.', []),
    },
    errors: [
      notConfigured,
      instanceOfArchived,
      instanceStopping,
      versionNotRunnable,
      dumpFailed,
      dumpOfOtherVersion,
      instanceLimit,
      ...unpaidErrors,
    ],
    handle: ({ params: { task_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        if (settings.driver === 'off') throw notConfigured();
        const { archived, erp, state, dump, fits } = await current(tx, task_id);
        if (archived) throw instanceOfArchived();
        if (state === 'stopping') throw instanceStopping();
        const there = state === 'starting' || state === 'running';
        if (there) await keepLonger(tx, task_id, settings.idle);
        else {
          if (!offered.includes(erp)) throw versionNotRunnable();
          if (dump === 'failed') throw dumpFailed();
          if (fits === false) throw dumpOfOtherVersion();
          await checkRoom(tx, task_id, settings.perOwner);
          await insert(tx, task_id, caller.userId, settings);
        }
        const action = there ? 'odoo_instance.keep' : 'odoo_instance.start';
        await recordChange(tx, {
          caller,
          action,
          target: task_id,
          requestId,
          organizationId: caller.organization_id,
          projectId: caller.project_id,
          before: {},
          after: { erp },
        });
        const { item } = await show(tx, task_id);
        return { status: there ? 200 : 202, body: item };
      }),
  });

const current = (tx: Tx, taskId: string) =>
  tx.one<{
    archived: boolean;
    erp: string;
    state: string | null;
    dump: string | null;
    fits: boolean | null;
  }>(sql`
    select t.archived_at is not null as archived, i.state,
           p.erp_version || ' ' || p.erp_edition as erp, d.state as dump,
           d.erp_version = p.erp_version as fits
      from task t
      join project p on p.id = t.project_id
      left join odoo_dump d on d.project_id = p.id
      left join lateral ${currentInstance(sql`t.id`)} i on true
     where t.id = ${taskId}`);

const keepLonger = (tx: Tx, taskId: string, idle: number) =>
  tx.many(sql`
    update erp_instance
       set expires_at = greatest(expires_at, now() + ${idle}::bigint * interval '1 millisecond')
     where task_id = ${taskId} and state in ('starting', 'running')`);

/**
 * Whether the owner of the project can pay, and has a place. The account is locked, so that of two
 * instances that are started at once each counts the other.
 */
async function checkRoom(tx: Tx, taskId: string, perOwner: number): Promise<void> {
  await requirePayer(tx, taskId);
  // A statement of its own, which sees what was committed before the lock.
  const { running } = await tx.one<{ running: number }>(sql`
    select count(*)::int as running
      from erp_instance i
      join task other on other.id = i.task_id
      join project theirs on theirs.id = other.project_id
      join task t on t.id = ${taskId}
      join project p on p.id = t.project_id
     where i.state = any(${LIVE_STATES}::text[])
       and (theirs.organization_id = p.organization_id
            or theirs.owner_user_id = p.owner_user_id)`);
  if (running >= perOwner) throw instanceLimit({ limit: perOwner });
}

function insert(tx: Tx, taskId: string, userId: string, { driver, idle }: InstanceSettings) {
  const id = randomUUID();
  return tx.many(sql`
    insert into erp_instance
           (id, task_id, driver, erp_version, edition, database_name, requested_by_user_id,
            expires_at)
    select ${id}, t.id, ${driver}, p.erp_version, p.erp_edition,
           ${`guildhall_${id.replaceAll('-', '')}`}, ${userId},
           now() + ${idle}::bigint * interval '1 millisecond'
      from task t join project p on p.id = t.project_id
     where t.id = ${taskId}`);
}

const show = (tx: Tx, taskId: string) =>
  tx.one<{ item: string }>(sql`
    select ${odooInstance.columns} from ${currentInstance(sql`${taskId}::uuid`)} t`);
