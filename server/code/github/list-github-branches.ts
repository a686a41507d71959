import Type from 'typebox';
import { acrossWorkspaces } from '../../access/account.ts';
import { connected } from '../../access/github.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { cursorInvalid, nextLink } from '../../http/paging.ts';
import { type Answer, route } from '../../http/route.ts';
import type { HostRepository } from '../hosts/code-host.ts';
import { asking } from '../hosts/errors.ts';
import { HostError } from '../hosts/host-error.ts';
import { type ShownBranch, shownBranch } from '../repositories/shown-branch.ts';
import type { GitHub } from './app.ts';
import { githubErrors, githubNotConfigured } from './errors.ts';
import { githubRepositoryId } from './installation.ts';
import { contains, type GithubServices, githubBusy, githubQuery, offsetOf } from './listing.ts';
import { branchPages, readRepository } from './read-repository.ts';
import { scan } from './scan.ts';

/** The branches of a repository on GitHub, whether a project uses it or not. */
export const listGithubBranches = ({ github, githubTransfers: transfers }: GithubServices) =>
  route({
    method: 'GET',
    path: '/api/github/repositories/{github_repository_id}/branches',
    area: 'GitHub',
    operationId: 'list_github_branches',
    summary: 'List branches on GitHub',
    description:
      'The branches of a repository that `list_github_repositories` lists, in the order of GitHub ' +
      'and in pages. A page may have fewer entries than its limit although another one follows. ' +
      'For the branches of a repository that a project uses there is `list_branches`.',
    access: acrossWorkspaces,
    params: Type.Object({ github_repository_id: githubRepositoryId() }),
    query: githubQuery('Part of the name, in any case.'),
    responses: {
      200: {
        description: 'In the order of GitHub.',
        headers: ['Link'],
        schema: Type.Array(shownBranch),
        example: [
          { name: 'main', head_sha: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', is_default: true },
        ],
      },
    },
    errors: [notFound, cursorInvalid, githubBusy, ...githubErrors],
    handle: ({ params, query, url, statement }) => {
      const offset = offsetOf(query.cursor);
      const repositoryId = params.github_repository_id;
      return statement<{ installations: string[] }>({ select: mine }, (row) => {
        if (row.installations.length === 0) throw notFound();
        if (github === undefined) throw githubNotConfigured();
        const later = async (signal: AbortSignal): Promise<Answer> => {
          const { place, repository } = await find(github, row.installations, repositoryId, signal);
          const { fullName, defaultBranch } = repository;
          const { found, next } = await scan(branchPages(github, place, { fullName, signal }), {
            offset,
            limit: query.limit,
            matches: ({ name }) => contains(name, query.q),
          });
          return {
            status: 200,
            body: found.map(
              ({ name, head }): ShownBranch => ({
                name,
                head_sha: head,
                is_default: name === defaultBranch,
              }),
            ),
            headers: next === undefined ? {} : nextLink(url, query.limit, [String(next)]),
          };
        };
        return {
          status: 200,
          later: (signal) => transfers.run(row.userId, () => asking(() => later(signal))),
        };
      });
    },
  });

// At most fifty: each is asked in turn.
const mine = sql`
  select coalesce(array_agg(installation_id::text), '{}') as installations
    from (select distinct i.id as installation_id
            from authorized
            join (${connected}) c on c.refused is null
             and (authorized.organization_id is null
                  or c.organization_id = authorized.organization_id)
            join github_installation i on i.id = c.installation_id
             and i.deleted_at is null and i.suspended_at is null
           order by installation_id limit 50) mine`;

/** The one of the caller's installations that has the repository. Errors: 404. */
async function find(
  github: GitHub,
  installations: readonly string[],
  repositoryId: number,
  signal: AbortSignal,
): Promise<{
  place: { installationId: number; repositoryId: number };
  repository: HostRepository;
}> {
  let failure: HostError | undefined;
  for (const each of installations) {
    const place = { installationId: Number(each), repositoryId };
    try {
      return { place, repository: await readRepository(github, place, signal) };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      // Another installation may have it; what may pass is not the same as having none.
      if (error.passes || error.code === 'github_app_refused') failure = error;
    }
  }
  throw failure ?? notFound();
}
