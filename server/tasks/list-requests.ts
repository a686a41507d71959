import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { nothing, sql } from '../db/sql.ts';
import { oneOf } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { agentRequest } from './request.ts';

/** What the agent of a task has asked, oldest first. */
export const listRequests = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/requests',
  area: 'Tasks',
  operationId: 'list_requests',
  summary: 'List requests of the agent',
  description:
    'The questions and requests for permission of the agent, oldest first, for everyone who can ' +
    'open the project. Always in pages: 50 entries, unless `limit` says otherwise.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object({
    ...pages,
    status: Type.Optional(
      oneOf(['open', 'answered', 'withdrawn'], { description: 'Only those with this status.' }),
    ),
  }),
  responses: { 200: agentRequest.listed('Oldest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(requests(query.status), query) }, page(url, query.limit)),
});

const requests = (status: string | undefined): ListParts => ({
  json: agentRequest.json,
  rows: sql`
    from agent_request r cross join authorized
   where r.task_id = (select task_id from authorized)
     ${status === undefined ? nothing : sql`and r.state = ${status}`}`,
  order: [
    { by: sql`r.created_at`, type: 'timestamptz' },
    { by: sql`r.id`, type: 'uuid' },
  ],
});
