import { onConnection } from '../../access/odoo-connection.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { connection } from './connection.ts';

/** One connection to Odoo, and what the caller may do to it. */
export const getConnection = route({
  method: 'GET',
  path: '/api/projects/{project_id}/odoo-connections/{connection_id}',
  area: 'Odoo Connections',
  operationId: 'get_odoo_connection',
  summary: 'Get a connection to Odoo',
  description:
    'The connection, without its secret, for everyone who can open the project. Its ETag changes ' +
    'with its settings, and not when the server is asked again.',
  access: onConnection('open_project'),
  params: ids('project_id', 'connection_id'),
  responses: { 200: connection.shown('The connection.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${connection.columns}
            from authorized join odoo_connection t on t.id = authorized.connection_id`,
      },
      (row) => shownAs(200, row),
    ),
});
