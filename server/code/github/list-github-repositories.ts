import Type, { type Static } from 'typebox';
import { onInstallation } from '../../access/github.ts';
import { sql } from '../../db/sql.ts';
import { notFound, twoFactorRequired } from '../../http/errors.ts';
import { boolean } from '../../http/input/fields.ts';
import { cursorInvalid, nextLink } from '../../http/paging.ts';
import { type Answer, route } from '../../http/route.ts';
import { asking } from '../hosts/errors.ts';
import type { GitHub } from './app.ts';
import { githubErrors, githubNotConfigured } from './errors.ts';
import { githubRepositoryId, installationId } from './installation.ts';
import { contains, type GithubServices, githubBusy, githubQuery, offsetOf } from './listing.ts';
import { GITHUB_PAGE, hasNext, scan } from './scan.ts';

const schema = Type.Object(
  {
    id: githubRepositoryId(),
    full_name: Type.String({ description: 'For `attach_repository`.' }),
    default_branch: Type.String(),
    private: boolean(),
    archived: boolean({ description: 'An archived one cannot be pushed to.' }),
    url: Type.String({ description: 'Its page on GitHub.' }),
  },
  { $id: 'GitHubRepository' },
);

/** The repositories of an installation, read from GitHub. */
export const listGithubRepositories = ({ github, githubTransfers: transfers }: GithubServices) =>
  route({
    method: 'GET',
    path: '/api/github/installations/{installation_id}/repositories',
    area: 'GitHub',
    operationId: 'list_github_repositories',
    summary: 'List repositories on GitHub',
    description:
      'The repositories that the GitHub App may use in an account, in the order of GitHub and in ' +
      'pages. A page may have fewer entries than its limit although another one follows. For the ' +
      'person whose installation it is, and for members of a workspace that it is connected to.',
    access: onInstallation,
    params: Type.Object({ installation_id: installationId() }),
    query: githubQuery('Part of `owner/name`, in any case.'),
    responses: {
      200: {
        description: 'In the order of GitHub.',
        headers: ['Link'],
        schema: Type.Array(schema),
        example: [
          {
            id: 1_296_269,
            full_name: 'acme/library',
            default_branch: 'main',
            private: true,
            archived: false,
            url: 'https://github.com/acme/library',
          },
        ],
      },
    },
    errors: [notFound, twoFactorRequired, cursorInvalid, githubBusy, ...githubErrors],
    handle: ({ params, query, url, statement }) => {
      const offset = offsetOf(query.cursor);
      return statement({ select: sql`select` }, ({ userId }) => {
        if (github === undefined) throw githubNotConfigured();
        const later = async (signal: AbortSignal): Promise<Answer> => {
          const { found, next } = await scan(pagesOf(github, params.installation_id, signal), {
            offset,
            limit: query.limit,
            matches: ({ full_name }) => contains(full_name, query.q),
          });
          return {
            status: 200,
            body: found,
            headers: next === undefined ? {} : nextLink(url, query.limit, [String(next)]),
          };
        };
        return {
          status: 200,
          later: (signal) => transfers.run(userId, () => asking(() => later(signal))),
        };
      });
    },
  });

function pagesOf(github: GitHub, installationId: number, signal: AbortSignal) {
  const api = github.as({ installationId, permissions: { metadata: 'read' } });
  return async (page: number) => {
    const { data, headers } = await api.request('GET /installation/repositories', {
      page,
      per_page: GITHUB_PAGE,
      request: { signal },
    });
    const items = data.repositories.map(
      (each): Static<typeof schema> => ({
        id: Number(each.id),
        full_name: each.full_name,
        default_branch: each.default_branch,
        private: each.private,
        archived: each.archived,
        url: each.html_url,
      }),
    );
    return { items, more: hasNext(headers) };
  };
}
