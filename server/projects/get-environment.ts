import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { environmentJson, environmentRevision, environmentShown } from './environment.ts';

/** What the settings of a project say about where its commands run. */
export const getEnvironment = route({
  method: 'GET',
  path: '/api/projects/{project_id}/environment',
  area: 'Projects',
  operationId: 'get_environment',
  summary: 'Get the environment',
  description:
    'The image of pods and the setup that runs in them, as the settings of the project have ' +
    'them. A field that is left out is what `environment` of `.guildhall.yml` in the commit ' +
    'says. Everyone who can open the project may see it.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: environmentShown('The settings; `{}` for none.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select item, ${environmentRevision(sql`item`)} as revision
            from authorized
            left join project_environment e on e.project_id = authorized.project_id
            cross join lateral (select ${environmentJson} as item) shown`,
      },
      (row) => shownAs(200, row),
    ),
});
