import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { instructionsColumns, instructionsShown } from '../organizations/index.ts';

/** The instructions of a project, for every agent that works there. */
export const getProjectInstructions = route({
  method: 'GET',
  path: '/api/projects/{project_id}/instructions',
  area: 'Projects',
  operationId: 'get_project_instructions',
  summary: 'Get the instructions of a project',
  description:
    'The instructions that every agent gets at the beginning of a session in this project, before everything ' +
    'else. Everyone who can open the project may read them.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: instructionsShown('The instructions; an empty text if there are none.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${instructionsColumns(sql`t.instructions`)}
            from authorized join project t on t.id = authorized.project_id`,
      },
      (row) => shownAs(200, row),
    ),
});
