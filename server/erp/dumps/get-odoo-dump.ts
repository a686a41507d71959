import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { dumpNotFound, odooDump } from './odoo-dump.ts';

/** The dump from which the ERP instances of a project start. */
export const getOdooDump = route({
  method: 'GET',
  path: '/api/projects/{project_id}/odoo-dump',
  area: 'Odoo Connections',
  operationId: 'get_odoo_dump',
  summary: 'Get the dump of a project',
  description:
    'What the ERP instances of tasks start from, and whether it is ready. Its bytes are given to no ' +
    'one. Everyone who can open the project may see this.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: odooDump.shown('The dump.', []) },
  errors: [dumpNotFound],
  handle: ({ statement }) =>
    statement<{ item: string | null }>(
      {
        select: sql`
          select case when t.id is not null then ${odooDump.json} end as item
            from authorized left join odoo_dump t on t.project_id = authorized.project_id`,
      },
      ({ item }) => {
        if (item === null) throw dumpNotFound();
        return { status: 200, body: item };
      },
    ),
});
