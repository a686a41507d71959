import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import {
  listsOf,
  networkJson,
  networkRevision,
  networkShown,
  type OperatorsHosts,
} from './network.ts';

/** Which hosts the processes of a project may reach. */
export const getNetwork = ({ network: operators }: { network: OperatorsHosts }) =>
  route({
    method: 'GET',
    path: '/api/projects/{project_id}/network',
    area: 'Projects',
    operationId: 'get_network',
    summary: 'Get the network of a project',
    description:
      'The hosts that the processes of the project may reach, by what they reach them for. Each is ' +
      'a name, or `*.` and a name for all names below it, with a port, or for the ports 443 and ' +
      '80. A new project lists none: it reaches what the operator gives. Everyone who can open ' +
      'the project may see them.',
    access: onProject('open_project'),
    params: ids('project_id'),
    responses: { 200: networkShown('The lists, each sorted.') },
    errors: [],
    handle: ({ statement }) =>
      statement<Shown>(
        {
          select: sql`
            select ${networkJson(sql`lists`, operators)} as item,
                   ${networkRevision(sql`lists`)} as revision
              from authorized
              cross join lateral (select ${listsOf(sql`authorized.project_id`)} as lists) found`,
        },
        (row) => shownAs(200, row),
      ),
  });
