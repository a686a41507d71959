import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { taskMergeTarget } from './merge-target.ts';

/** The branches that a task may be merged into. */
export const listTaskMergeTargets = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/merge-targets',
  area: 'Pull Requests & Deploys',
  operationId: 'list_task_merge_targets',
  summary: 'List what a task may be merged into',
  description:
    'The merge targets of the project, and for each whether the caller may merge the task into ' +
    'it: owners and admins, and members of a team on the project that may merge into branches ' +
    'of its stage. Everyone who can open the project may see them.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: taskMergeTarget.listed('By branch.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(targets, query) }, page(url, query.limit)),
});

const targets = {
  json: taskMergeTarget.json,
  rows: sql`
    from authorized
    cross join caller
    join project p on p.id = authorized.project_id
    join merge_target t on t.project_id = p.id
    left join pull_request pr on pr.task_id = authorized.task_id
   where true`,
  order: [{ by: sql`t.branch collate "C"`, type: 'text' }],
} as const;
