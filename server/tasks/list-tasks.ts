import Type, { type Static } from 'typebox';
import { onProject } from '../access/project.ts';
import { contains } from '../db/search.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { boolean, oneOf, text, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { RESTING, type TaskResource } from './task.ts';
import { TASK_STATUSES, type TaskStatus } from './task-states.ts';

const query = Type.Object({
  ...pages,
  status: Type.Optional(
    oneOf([...TASK_STATUSES], { description: 'Only tasks that show this status.' }),
  ),
  created_by: Type.Optional(uuid({ description: 'Only tasks that this person created.' })),
  archived: boolean({ default: false, description: 'Archived tasks instead of the others.' }),
  q: Type.Optional(
    text({
      minLength: 1,
      maxLength: 200,
      description: 'Only tasks whose title contains this, without regard to case.',
    }),
  ),
});

/** The tasks of a project, newest first. */
export const listTasks = (task: TaskResource) =>
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
    responses: { 200: task.listed('Newest first.') },
    errors: [cursorInvalid],
    handle: ({ query, url, statement }) =>
      statement<Listed>({ select: listed(tasks(task, query), query) }, page(url, query.limit)),
  });

// The project is a subquery, so that an index in the order of the list serves it.
const tasks = (
  { json }: TaskResource,
  { status, created_by, archived, q }: Static<typeof query>,
): ListParts => ({
  json,
  rows: sql`
    from task t cross join authorized
   where t.project_id = (select project_id from authorized)
     and (t.archived_at is not null) = ${archived}
     ${status === undefined ? nothing : sql`and ${shows(status)}`}
     ${created_by === undefined ? nothing : sql`and t.created_by_user_id = ${created_by}`}
     ${q === undefined ? nothing : sql`and ${contains(sql`t.title`, q)}`}`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
});

// The stored status stands by itself, so that the index on it is used. The shown one differs where
// a start waits: see shownStatus. Workers take those at once, so that there are few.
function shows(status: TaskStatus): Sql {
  if (status === 'queued')
    return sql`(t.status = 'queued'
                or t.status = any(${RESTING}::text[])
                   and t.id = any(array(select task_id from waiting_start)))`;
  if (RESTING.includes(status))
    return sql`t.status = ${status}
               and (select true from waiting_start s where s.task_id = t.id limit 1) is not true`;
  return sql`t.status = ${status}`;
}
