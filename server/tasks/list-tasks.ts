import Type, { type Static } from 'typebox';
import { onProject } from '../access/project.ts';
import { nothing, sql } from '../db/sql.ts';
import { oneOf } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import type { TaskResource } from './task.ts';
import { filtered, filters, orderOf, shows } from './task-filters.ts';
import { TASK_STATUSES } from './task-states.ts';

const query = Type.Object({
  ...pages,
  status: Type.Optional(
    oneOf([...TASK_STATUSES], { description: 'Only tasks that show this status.' }),
  ),
  ...filters,
});

/** The tasks of a project, newest first. */
export const listTasks = ({ task }: { task: TaskResource }) =>
  route({
    method: 'GET',
    path: '/api/projects/{project_id}/tasks',
    area: 'Tasks',
    operationId: 'list_tasks',
    summary: 'List tasks',
    description:
      'The tasks of the project, newest first, for everyone who can open it. Archived ones are ' +
      'listed only with `archived=true`. Always in pages: 50 entries, unless `limit` says ' +
      'otherwise.',
    access: onProject('open_project'),
    params: ids('project_id'),
    query,
    responses: { 200: task.listed('In the order of `sort`.') },
    errors: [cursorInvalid],
    handle: ({ query, url, statement }) =>
      statement<Listed>({ select: listed(tasks(task, query), query) }, page(url, query.limit)),
  });

// The project is a subquery, so that an index in the order of the list serves it.
const tasks = (task: TaskResource, { status, ...rest }: Static<typeof query>): ListParts => ({
  json: task.json,
  rows: sql`
    from task t cross join authorized
   where t.project_id = (select project_id from authorized)
     ${status === undefined ? nothing : sql`and ${shows(status)}`}
     ${filtered(task, rest, OF_PROJECT)}`,
  order: orderOf(rest.sort),
  descending: true,
});

const OF_PROJECT = sql`
  (select default_model from project where id = (select project_id from authorized))`;
