import { onProject } from '../access/project.ts';
import { ids, route } from '../http/route.ts';
import { getsInstructions } from '../organizations/index.ts';

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
  ...getsInstructions({ table: 'project', id: 'project_id' }),
});
