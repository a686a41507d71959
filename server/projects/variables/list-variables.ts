import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { variable } from './variable.ts';

/** The variables of a project; secrets without their values. */
export const listVariables = route({
  method: 'GET',
  path: '/api/projects/{project_id}/variables',
  area: 'Projects',
  operationId: 'list_variables',
  summary: 'List the variables of a project',
  description:
    'By name, and of one name first the variable without a stage. The value of a secret is never ' +
    'shown. Admins of the project, and the owner and admins of its workspace only.',
  access: onProject('update_project'),
  params: ids('project_id'),
  responses: { 200: variable.listed('By name, then by stage. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>(
      {
        select: listed(
          {
            json: variable.json,
            rows: sql`
              from project_variable t cross join authorized
             where t.project_id = authorized.project_id`,
            order: [
              { by: sql`t.name collate "C"`, type: 'text' },
              { by: sql`coalesce(t.stage, '') collate "C"`, type: 'text' },
            ],
          },
          {},
        ),
      },
      page(url, undefined),
    ),
});
