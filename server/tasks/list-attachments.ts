import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { attachment } from './attachment.ts';

/** The files that people have given to a task. */
export const listAttachments = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/attachments',
  area: 'Tasks',
  operationId: 'list_attachments',
  summary: 'List the attachments of a task',
  description:
    'The files that people have given to the task, oldest first. Everyone who can open the ' +
    'project may list them. The complete list, unless `limit` is given.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: attachment.listed('Oldest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(attachments, query) }, page(url, query.limit)),
});

const attachments = {
  json: attachment.json,
  rows: sql`from attachment t where t.task_id = (select task_id from authorized)`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
