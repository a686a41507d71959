import { onLockedTask } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { currentInstance, instanceNotFound, odooInstance } from './odoo-instance.ts';

/** Removes the throwaway ERP system of a task, with its data. */
export const stopOdooInstance = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/odoo-instance',
  area: 'Odoo Connections',
  operationId: 'stop_odoo_instance',
  wakes: true,
  summary: 'Stop the ERP instance of a task',
  description:
    'Asks for the instance to be removed with everything in it. A worker does it, and ' +
    '`get_odoo_instance` answers 404 when it is gone. Members of the project may.',
  access: onLockedTask('work_on_task'),
  params: ids('task_id'),
  responses: { 200: odooInstance.shown('The instance, which is being removed.', []) },
  errors: [instanceNotFound],
  handle: ({ params: { task_id }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const stopped = await tx.maybeOne<{ item: string; before: string }>(sql`
        with found as materialized (
          select t.id, t.state from ${currentInstance(sql`${task_id}::uuid`)} t),
        stopped as (
          update erp_instance i
             set state = 'stopping', reason = null, cleared_at = null, not_before = now()
            from found where i.id = found.id and i.state <> 'ended'
          returning i.*, found.state as before)
        select ${odooInstance.columns}, t.before from stopped t`);
      if (stopped === undefined) throw instanceNotFound();
      if (stopped.before !== 'stopping')
        await recordChange(tx, {
          caller,
          action: 'odoo_instance.stop',
          target: task_id,
          requestId,
          organizationId: caller.organization_id,
          projectId: caller.project_id,
          before: { status: stopped.before },
          after: {},
        });
      return { status: 200, body: stopped.item };
    }),
});
