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
  sort: Type.Optional(
    oneOf(['created', 'updated', 'merged'], {
      default: 'created',
      description:
        '`created`: the newest first. `updated`: those that changed last first. `merged`: only ' +
        'those whose pull request was merged, the last one first.',
    }),
  ),
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
    const merged = asked.sort === 'merged';
    const order = asked.sort === 'merged' ? MERGED_AT : sortedBy(asked.sort);
    const of = (more: Sql) =>
      merged
        ? sql`
      join repository r on r.project_id = opened.id
      cross join lateral (
        select t.id, t.merged_at from ${MERGED} t
         where t.repository_id = r.id and ${wanted(task, asked)} ${after} ${more}) t`
        : sql`
      cross join lateral (
        select t.id, t.created_at, t.updated_at from task t
         where t.project_id = opened.id and ${wanted(task, asked)} ${after} ${more}) t`;
    return sql`
    from (
      with opened as materialized (${opened(asked.project_id)}),
      reach as materialized (
        select ${order} as place
          from opened ${of(sql`order by ${order} desc, t.id desc limit 1`)}
         order by ${order} desc offset ${asked.limit} limit 1)
      select t.id, opened.acts_as ${merged ? sql`, t.merged_at` : nothing}
        from opened ${of(sql`
          and ${order} >= coalesce((select place from reach), '-infinity') ${first}`)}
       ${first}) authorized
    ${
      merged
        ? sql`cross join lateral (
                select task.*, authorized.merged_at from task where id = authorized.id) t`
        : sql`join task t on t.id = authorized.id`
    }
   where true`;
  },
  order:
    asked.sort === 'merged'
      ? [
          { by: MERGED_AT, type: 'timestamptz' },
          { by: sql`t.id`, type: 'uuid' },
        ]
      : orderOf(asked.sort),
  descending: true,
});

// An index of each repository, which is of one project, is in this order.
const MERGED = sql`(
  select task.*, pr.repository_id, pr.updated_at as merged_at
    from pull_request pr join task on task.id = pr.task_id
   where pr.state = 'merged')`;
const MERGED_AT = sql`t.merged_at`;

const opened = (projectId: string | undefined): Sql => sql`
  select p.id, p.default_model, person.acts_as
    from ${projectsOfCaller('open_project')} and p.archived_at is null
         ${projectId === undefined ? nothing : sql`and p.id = ${projectId}`}`;

function wanted(task: TaskResource, { status, merged, ...rest }: Static<typeof query>): Sql {
  return sql`
    ${status === undefined ? sql`true` : anyOf(status.map(shows))}
    ${merged === undefined ? nothing : sql`and ${wasMerged} = ${merged}`}
    ${filtered(task, rest, sql`opened.default_model`)}`;
}

const wasMerged = sql`
  exists (select from pull_request pr where pr.task_id = t.id and pr.state = 'merged')`;

const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0
    ? sql`false`
    : sql`(${conditions.reduce((some, one) => sql`${some} or ${one}`)})`;
