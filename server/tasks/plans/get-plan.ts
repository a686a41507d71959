import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { plan, planNotFound, shownPlan } from './plan.ts';

/** The plan of a task in its current version. */
export const getPlan = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/plan',
  area: 'Plans & Artifacts',
  operationId: 'get_plan',
  summary: 'Get a task plan',
  description:
    'The plan in its current version, for everyone who can open the project. ' +
    '`approved_version` is the newest version that was approved; the agent builds that one, ' +
    'also after a newer version was written. The `ETag` is the version.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 200: plan.shown('The current plan.') },
  errors: [planNotFound],
  handle: ({ statement }) =>
    statement<Shown | { item: null }>(
      { select: sql`select ${plan.columns} from authorized ${shownPlan}` },
      (row) => {
        if (row.item === null) throw planNotFound();
        return shownAs(200, row);
      },
    ),
});
