import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { targetsOf, targetsRevision, targetsShown } from './merge-targets.ts';

/** Into which branches the tasks of a project may be merged. */
export const getMergeTargets = route({
  method: 'GET',
  path: '/api/projects/{project_id}/merge-targets',
  area: 'Projects',
  operationId: 'get_merge_targets',
  summary: 'Get the merge targets',
  description:
    'The branches that tasks of the project may be merged into, sorted by name, each with the ' +
    'right that it takes. A new project has `main`, as production. Everyone who can open the ' +
    'project may see them.',
  access: onProject('open_project'),
  params: ids('project_id'),
  responses: { 200: targetsShown('By name.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select items as item, ${targetsRevision(sql`items`)} as revision
            from authorized
            cross join lateral (select ${targetsOf(sql`authorized.project_id`)} as items) targets`,
      },
      (row) => shownAs(200, row),
    ),
});
