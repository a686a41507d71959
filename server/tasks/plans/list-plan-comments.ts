import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { nothing, sql } from '../../db/sql.ts';
import { boolean } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { comment } from './comment.ts';

/** What people said about the plan of a task. */
export const listPlanComments = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/plan/comments',
  area: 'Plans & Artifacts',
  operationId: 'list_plan_comments',
  summary: 'List comments on a plan',
  description:
    'The comments on all versions of the plan, oldest first, for everyone who can open the ' +
    'project. Each says where its lines are in the current version.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object({
    resolved: Type.Optional(boolean({ description: 'Only those that are, or are not.' })),
    ...paging,
  }),
  responses: { 200: comment.listed('Oldest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(comments(query.resolved), query) }, page(url, query.limit)),
});

const comments = (resolved: boolean | undefined) => ({
  json: comment.json,
  rows: sql`
    from plan_comment t
   where t.task_id = (select task_id from authorized)
     ${resolved === undefined ? nothing : sql`and (t.resolved_at is not null) = ${resolved}`}`,
  order: [{ by: sql`t.id`, type: 'uuid' }] as const,
});
