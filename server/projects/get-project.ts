import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { asSeenByCaller, project } from './project.ts';

/** One project, and what the caller may do there. */
export const getProject = route({
  method: 'GET',
  path: '/api/projects/{project_id}',
  area: 'Projects',
  operationId: 'get_project',
  summary: 'Get a project',
  description:
    'The project, for everyone who can open it: the members of its workspace or its owner, and ' +
    'its outside collaborators. `role` is what the caller acts as there.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: project.shown('The project.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${project.columns}
            from authorized join project t on t.id = authorized.project_id ${asSeenByCaller}`,
      },
      (row) => shownAs(200, row),
    ),
});
