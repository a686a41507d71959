import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { setsInstructions } from '../organizations/index.ts';

/** Sets the instructions of a project. */
export const setProjectInstructions = route({
  method: 'PUT',
  path: '/api/projects/{project_id}/instructions',
  area: 'Projects',
  operationId: 'set_project_instructions',
  summary: 'Set the instructions of a project',
  description:
    'Replaces the instructions that every agent gets at the beginning of a session in this project; an empty text ' +
    'removes it. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of what you have read as ' +
    '`If-Match` to avoid overwriting a later change.',
  access: onProject('update_project'),
  params: ids('project_id'),
  ...setsInstructions({
    table: 'project',
    id: 'project_id',
    action: 'project.instruct',
    project: sql`authorized.project_id`,
  }),
});
