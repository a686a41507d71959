import Type from 'typebox';
import { onPullRequest } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { check } from './checks.ts';

/** The checks of the last commit of a pull request. */
export const listChecks = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/pull-request/checks',
  area: 'Pull Requests & Deploys',
  operationId: 'list_checks',
  summary: 'List the checks of a pull request',
  description:
    'The checks of the last commit of the pull request, in the order in which they run. Those of a ' +
    'repository of this server are the `checks` of `.guildhall.yml` in that commit; a file that ' +
    'cannot be read is one failed check of that name. Empty without any, and until they have ' +
    'begun. Everyone who can open the project may see them.',
  access: onPullRequest('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: check.listed('In the order in which they run.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(checks, query) }, page(url, query.limit)),
});

const checks = {
  json: check.json,
  rows: sql`
    from authorized
    join pull_request pr on pr.task_id = authorized.task_id
    join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
    join check_run t on t.suite_id = s.id
   where true`,
  order: [{ by: sql`t.position`, type: 'integer' }],
} as const;
