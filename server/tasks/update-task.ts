import { onTask } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import { lockedRow, type Shown, shownAs } from '../http/change.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { modelNotOffered } from './model-offered.ts';
import { type TaskResource, taskChanged, taskSnapshot } from './task.ts';

/** Changes a task's title, model or cap, and archives it; an omitted field keeps its value. */
export const updateTask = ({ catalog, task }: { catalog: Catalog; task: TaskResource }) =>
  route({
    method: 'PUT',
    path: '/api/tasks/{task_id}',
    area: 'Tasks',
    operationId: 'update_task',
    wakes: true,
    summary: 'Update a task',
    description:
      'Changes the task. Members of the project may. A field that is omitted keeps its value; ' +
      '`null` removes the spend cap, or the model, so that it is that of the project; `{}` ' +
      'changes nothing. Another model is used from the next turn on. `archived: true` leaves the ' +
      'task out of lists and changes nothing else. Send the `ETag` of the task you have read as ' +
      '`If-Match` to avoid overwriting a later change. It changes with these fields and with the ' +
      'status, and not with the plan, the pod or what the task has cost.',
    access: onTask('work_on_task'),
    params: ids('task_id'),
    body: task.changes,
    sample: () => ({ body: { title: 'Approval of sale orders', spend_cap: '7.50' } }),
    responses: { 200: task.shown('The current task.') },
    headers: { 'If-Match': 'The ETag of the task that you have read.' },
    errors: [modelNotOffered, taskChanged],
    handle: ({ body, headers, requestId, statement }) =>
      statement<Shown & { expected: boolean | null; offered: boolean }>(
        {
          with: updated(catalog, task, body, headers['if-match'], requestId),
          select: sql`
            select current.expected, verdict.offered, ${task.columns}
              from authorized
              left join current on true
              left join verdict on true
              left join changed on true
              cross join lateral (select (coalesce(changed.row, current.row)).*) t`,
        },
        ({ expected, offered, ...row }) => {
          if (expected === null) throw notFound();
          if (!expected) throw taskChanged();
          if (!offered) throw modelNotOffered(body.model);
          return shownAs(200, row);
        },
      ),
  });

interface Changes {
  archived?: boolean;
  spend_cap?: bigint | null;
  [field: string]: unknown;
}

// A model that the catalog no longer offers stays, until it is changed. The trigger task_touched
// sets updated_at.
function updated(
  catalog: Catalog,
  task: TaskResource,
  { archived, spend_cap, ...fields }: Changes,
  ifMatch: string | undefined,
  requestId: string,
): Sql {
  const changes = JSON.stringify({
    ...fields,
    ...(spend_cap === undefined ? {} : { spend_cap: spend_cap?.toString() ?? null }),
    ...(archived === false ? { archived_at: null } : {}),
  });
  return sql`
    ${lockedRow(sql`task`, sql`task_id`, ifMatch, task.revision)},
    wanted as materialized (
      select jsonb_populate_record(
               row,
               case when ${archived === true} and (row).archived_at is null
                    then jsonb_build_object('archived_at', clock_timestamp())
                    else '{}' end || ${changes}::jsonb) as row
        from current),
    verdict as (
      select (wanted.row).model is null
             or (wanted.row).model is not distinct from (current.row).model
             or (wanted.row).model = any(${catalog.models.map(({ id }) => id)}::text[]) as offered
        from current cross join wanted),
    changed as (
      update task t
         set title = (wanted.row).title,
             model = (wanted.row).model,
             spend_cap = (wanted.row).spend_cap,
             archived_at = (wanted.row).archived_at
        from wanted, current, verdict
       where t.id = (wanted.row).id and current.expected and verdict.offered
         and wanted.row is distinct from current.row
      returning t as row),
    audited as (${auditRow({
      action: 'task.update',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`authorized.organization_id`,
      project: sql`authorized.project_id`,
      before: taskSnapshot(sql`current.row`),
      after: taskSnapshot(sql`changed.row`),
      from: sql`changed cross join current cross join authorized`,
    })})`;
}
