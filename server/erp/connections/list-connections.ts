import Type from 'typebox';
import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { connection } from './connection.ts';

/** The connections to Odoo of a project. */
export const listConnections = route({
  method: 'GET',
  path: '/api/projects/{project_id}/odoo-connections',
  area: 'Odoo Connections',
  operationId: 'list_odoo_connections',
  summary: 'List connections to Odoo',
  description:
    'In the order in which they were added, for everyone who can open the project, and never with ' +
    'a secret.',
  access: onProject('open_project'),
  params: ids('project_id'),
  query: Type.Object(paging),
  responses: { 200: connection.listed('In the order in which they were added.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed({ ...connections, json: connection.json }, query) },
      page(url, query.limit),
    ),
});

const connections = {
  rows: sql`
    from authorized join odoo_connection t on t.project_id = authorized.project_id where true`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
