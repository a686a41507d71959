import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { routine } from './routine.ts';

/** The routines of a project. */
export const listRoutines = route({
  method: 'GET',
  path: '/api/projects/{project_id}/routines',
  area: 'Tasks',
  operationId: 'list_routines',
  summary: 'List routines',
  description: 'The routines of the project. Everyone who can open it may see them.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: routine.listed('The oldest first. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(routines, {}) }, page(url, undefined)),
});

const routines = {
  json: routine.json,
  rows: sql`from routine t cross join authorized where t.project_id = authorized.project_id`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
