import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { artifact } from './attachment.ts';

/** The files that a task has produced. */
export const listArtifacts = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/artifacts',
  area: 'Plans & Artifacts',
  operationId: 'list_artifacts',
  summary: 'List the artifacts of a task',
  description:
    'The files that the turns of the task have produced, oldest first; a path may come once ' +
    'from each turn. Everyone who can open the project may list them. The complete list, unless ' +
    '`limit` is given.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: artifact.listed('Oldest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(artifacts, query) }, page(url, query.limit)),
});

const artifacts = {
  json: artifact.json,
  rows: sql`from artifact t where t.task_id = (select task_id from authorized)`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
