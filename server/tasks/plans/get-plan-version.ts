import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';
import { planText, versionFields, versionNotFound, versionNumber } from './plan.ts';

const { task_id, version, ...rest } = versionFields;

/** A version of a plan; it never changes. */
const planVersion = resource('PlanVersion', { task_id, version, ...planText, ...rest });

/** One version of a plan, current or not. */
export const getPlanVersion = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/plan/versions/{version}',
  area: 'Plans & Artifacts',
  operationId: 'get_plan_version',
  summary: 'Get a version of a plan',
  description: 'One version of the plan with its text, for everyone who can open the project.',
  access: onTask('open_project'),
  params: Type.Object({
    ...ids('task_id').properties,
    version: versionNumber('The version of the plan.'),
  }),
  responses: { 200: planVersion.shown('The version.', []) },
  errors: [versionNotFound],
  handle: ({ params, statement }) =>
    statement<{ item: string | null }>(
      {
        select: sql`
          select ${planVersion.json} as item
            from authorized
            left join plan_revision r
              on r.task_id = authorized.task_id and r.version = ${params.version}
            left join plan_approval a on a.task_id = r.task_id and a.version = r.version`,
      },
      ({ item }) => {
        if (item === null) throw versionNotFound();
        return { status: 200, body: item };
      },
    ),
});
