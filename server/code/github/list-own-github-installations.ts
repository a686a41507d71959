import Type from 'typebox';
import { oneself } from '../../access/account.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { route } from '../../http/route.ts';
import { githubInstallation, installationOrder } from './installation.ts';

/** The installations of the GitHub App that personal projects of the caller may use. */
export const listOwnGithubInstallations = route({
  method: 'GET',
  path: '/api/github/installations',
  area: 'GitHub',
  operationId: 'list_own_github_installations',
  summary: 'List your installations of the GitHub App',
  description:
    'The accounts on GitHub whose repositories your personal projects may use, sorted by login. ' +
    'Those of a workspace are in `list_github_installations`.',
  access: oneself,
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
              join github_connection c on c.user_id = authorized.user_id
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
