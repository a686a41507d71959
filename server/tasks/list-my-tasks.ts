import Type, { type Static } from 'typebox';
import { acrossWorkspaces } from '../access/account.ts';
import { projectsOfCaller } from '../access/project.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { boolean, list, oneOf, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { route } from '../http/route.ts';
import type { TaskResource } from './task.ts';
import { filtered, filters, orderOf, shows, sortedBy } from './task-filters.ts';
import { TASK_STATUSES } from './task-states.ts';

const query = Type.Object({
  ...pages,
  status: Type.Optional(
    list(oneOf([...TASK_STATUSES]), {
      maxItems: TASK_STATUSES.length,
      description: 'Only tasks that show one of these: `status=ready&status=failed`.',
    }),
  ),
  merged: Type.Optional(
    boolean({ description: 'Only tasks whose pull request was merged, or only the others.' }),
  ),
  project_id: Type.Optional(uuid({ description: 'Only tasks of this project.' })),
  ...filters,
});

/** The tasks of all projects that the caller can open. */
export const listMyTasks = ({ task }: { task: TaskResource }) =>
  route({
    method: 'GET',
    path: '/api/tasks',
    area: 'Tasks',
    operationId: 'list_my_tasks',
    summary: 'List your tasks',
    description:
      'The tasks of all projects that the caller can open, newest first. Archived projects are ' +
      'left out, and archived tasks are listed only with `archived=true`. A workspace whose ' +
      'two-factor policy the caller does not meet contributes none, and a key that is limited to ' +
      'one workspace lists only what is in it. A filter narrows the list: a project that the ' +
      'caller cannot open leaves it empty. Always in pages: 50 entries, unless `limit` says ' +
      'otherwise.',
    access: acrossWorkspaces,
    query,
    responses: { 200: task.listed('In the order of `sort`.') },
    errors: [cursorInvalid],
    handle: ({ query, url, statement }) =>
      statement<Listed>({ select: listed(tasks(task, query), query) }, page(url, query.limit)),
  });

// The view decides who may open a project and as what, as everywhere (ruling 8.7). What a task shows
// depends on what the caller acts as in its project, which it looks for in `authorized`.
const tasks = (task: TaskResource, asked: Static<typeof query>): ListParts => ({
  json: task.json,
  rows: ({ after, first }) => {
    const order = sortedBy(asked.sort);
    const of = (more: Sql) => sql`
      cross join lateral (
        select t.id, t.created_at, t.updated_at from task t
         where ${wanted(task, asked)} ${after} ${more}) t`;
    return sql`
    from (
      with opened as materialized (${opened(asked.project_id)}),
      reach as materialized (
        select ${order} as place
          from opened ${of(sql`order by ${order} desc, t.id desc limit 1`)}
         order by ${order} desc offset ${asked.limit} limit 1)
      select t.id, opened.acts_as
        from opened ${of(sql`
          and ${order} >= coalesce((select place from reach), '-infinity') ${first}`)}
       ${first}) authorized
    join task t on t.id = authorized.id
   where true`;
  },
  order: orderOf(asked.sort),
  descending: true,
});

const opened = (projectId: string | undefined): Sql => sql`
  select p.id, p.default_model, person.acts_as
    from ${projectsOfCaller('open_project')} and p.archived_at is null
         ${projectId === undefined ? nothing : sql`and p.id = ${projectId}`}`;

function wanted(task: TaskResource, { status, merged, ...rest }: Static<typeof query>): Sql {
  return sql`
    t.project_id = opened.id
    ${status === undefined ? nothing : sql`and ${anyOf(status.map(shows))}`}
    ${merged === undefined ? nothing : sql`and ${wasMerged} = ${merged}`}
    ${filtered(task, rest, sql`opened.default_model`)}`;
}

const wasMerged = sql`
  exists (select from pull_request pr where pr.task_id = t.id and pr.state = 'merged')`;

const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0
    ? sql`false`
    : sql`(${conditions.reduce((some, one) => sql`${some} or ${one}`)})`;
