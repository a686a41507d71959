import { onArtifact } from '../access/file.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { artifact } from './attachment.ts';

/** What is known about a file that a task has produced. */
export const getArtifact = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/artifacts/{artifact_id}',
  area: 'Plans & Artifacts',
  operationId: 'get_artifact',
  summary: 'Get an artifact',
  description:
    'The name, type, size and hash of a file that the task has produced. Everyone who can open ' +
    'the project may see it.',
  access: onArtifact('open_project'),
  params: ids('task_id', 'artifact_id'),
  responses: { 200: artifact.shown('The artifact.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${artifact.columns}
            from authorized join artifact t on t.id = authorized.artifact_id`,
      },
      (row) => shownAs(200, row),
    ),
});
