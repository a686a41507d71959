import { onLockedTask } from '../../access/task.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { ids, type Route, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import {
  currentInstance,
  instanceNotFound,
  instanceNotRunning,
  odooInstance,
} from './odoo-instance.ts';

/** Starts the throwaway ERP system of a task again, with its database or with a new one. */
const startedAgain = (
  asked: 'restart' | 'reset',
  { summary, description }: { summary: string; description: string },
): Route =>
  route({
    method: 'POST',
    path: `/api/tasks/{task_id}/odoo-instance/${asked}`,
    area: 'Odoo Connections',
    operationId: `${asked}_odoo_instance`,
    wakes: true,
    summary,
    description: `${description} A worker does it. Members of the project may.`,
    access: onLockedTask('work_on_task'),
    params: ids('task_id'),
    responses: { 200: odooInstance.shown('The instance, which is being started.', []) },
    errors: [instanceNotFound, instanceNotRunning],
    handle: ({ params: { task_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const changed = await ask(tx, task_id, asked);
        if (changed === undefined)
          throw (await isThere(tx, task_id)) ? instanceNotRunning() : instanceNotFound();
        await recordChange(tx, {
          caller,
          action: `odoo_instance.${asked}`,
          target: task_id,
          requestId,
          organizationId: caller.organization_id,
          projectId: caller.project_id,
          before: {},
          after: {},
        });
        return { status: 200, body: changed.item };
      }),
  });

/** Of two at once, the second finds it starting. */
const ask = (tx: Tx, taskId: string, asked: 'restart' | 'reset') =>
  tx.maybeOne<{ item: string }>(sql`
    update erp_instance t
       set state = 'starting', asked = ${asked}, not_before = now(), attempt = 0,
           owner = null, lease_until = null
      from ${currentInstance(sql`${taskId}::uuid`)} found
     where t.id = found.id and t.state = 'running'
    returning ${odooInstance.columns}`);

const isThere = async (tx: Tx, taskId: string): Promise<boolean> =>
  (await tx.many(sql`select id from ${currentInstance(sql`${taskId}::uuid`)} t`)).length > 0;

export const restartOdooInstance = startedAgain('restart', {
  summary: 'Restart the ERP instance of a task',
  description: 'Ends its Odoo and starts it again with the same database.',
});

export const resetOdooInstance = startedAgain('reset', {
  summary: 'Reset the ERP instance of a task',
  description:
    'Deletes its database with everything in it and starts its Odoo with a new one, as for a new ' +
    'instance.',
});
