import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { attached, message } from './message.ts';

/** The conversation of a task, from its first message on. */
export const listMessages = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/messages',
  area: 'Tasks',
  operationId: 'list_messages',
  summary: 'List messages',
  description:
    'The conversation of the task, from its first message on, for everyone who can open its ' +
    'project. Always in pages: 50 entries, unless `limit` says otherwise.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(pages),
  responses: { 200: message.listed('In the order in which they were written.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(messages, query) }, page(url, query.limit)),
});

const messages = {
  json: message.json,
  rows: sql`
    from task_message m
    cross join authorized
    left join task_turn turn on turn.id = m.turn_id
    cross join lateral ${attached(sql`
      attachment a where a.task_id = m.task_id and a.message_number = m.number`)}
   where m.task_id = (select task_id from authorized)`,
  order: [{ by: sql`m.number`, type: 'integer' }],
} as const;
