import { onDeploy } from '../../access/deploy.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { deploy } from './deploy.ts';

/** One deploy. */
export const getDeploy = route({
  method: 'GET',
  path: '/api/deploys/{deploy_id}',
  area: 'Pull Requests & Deploys',
  operationId: 'get_deploy',
  summary: 'Get a deploy',
  description:
    'A deploy, and what came of it. Everyone who can open its project may see it; ' +
    '`get_deploy_log` has what its command has printed.',
  access: onDeploy('open_project'),
  params: ids('deploy_id'),
  responses: { 200: deploy.shown('The deploy.', []) },
  errors: [],
  handle: ({ statement }) =>
    statement<{ item: string }>(
      {
        select: sql`
          select ${deploy.json} as item
            from authorized
            join deploy t on t.id = authorized.deploy_id
            left join merge m on m.id = t.merge_id`,
      },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
