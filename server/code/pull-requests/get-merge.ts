import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { merge, mergeNotFound, newestMerge } from './merge.ts';

/** The last merge of a task. */
export const getMerge = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/merge',
  area: 'Pull Requests & Deploys',
  operationId: 'get_merge',
  summary: 'Get the merge of a task',
  description:
    'The last merge that was asked for, and what came of it. Everyone who can open the project ' +
    'may see it.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 200: merge.shown('The merge.', []) },
  errors: [mergeNotFound],
  handle: ({ statement }) =>
    statement<{ item: string | null }>(
      {
        select: sql`
          select case when t.id is not null then ${merge.json} end as item
            from authorized left join lateral ${newestMerge} t on true`,
      },
      ({ item }) => {
        if (item === null) throw mergeNotFound();
        return { status: 200, body: item };
      },
    ),
});
