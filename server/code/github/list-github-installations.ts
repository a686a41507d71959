import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { githubInstallation, installationOrder } from './installation.ts';

/** The installations of the GitHub App that projects of a workspace may use. */
export const listGithubInstallations = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/github/installations',
  area: 'GitHub',
  operationId: 'list_github_installations',
  summary: 'List installations of the GitHub App',
  description:
    'The accounts on GitHub whose repositories the projects of the workspace may use, sorted by ' +
    'login. Members only. Owners and admins connect them in the dashboard.',
  access: onWorkspace('see_workspace'),
  params: ids('org_id'),
  query: Type.Object(paging),
  responses: { 200: githubInstallation.listed('By login.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      {
        select: listed(
          {
            json: githubInstallation.json,
            rows: sql`
              from authorized
              join github_connection c on c.organization_id = authorized.organization_id
              join github_installation t on t.id = c.installation_id
             where t.deleted_at is null`,
            order: installationOrder,
          },
          query,
        ),
      },
      page(url, query.limit),
    ),
});
