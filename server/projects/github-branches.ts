import {
  asking,
  type Branch,
  branchPages,
  contains,
  type GithubServices,
  githubNotConfigured,
  githubNotConnected,
  offsetOf,
  scan,
} from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';

/** Where a repository is on GitHub, from the columns below. All are null for one of this server. */
export interface OnGithub {
  installation: string | null;
  host_repository: string | null;
  connected: boolean;
}

/** The columns of `OnGithub`, of the repository of `authorized`. */
export const onGithub: Sql = sql`
  (select installation_id::text from repository where id = authorized.repository_id)
    as installation,
  (select host_repository_id::text from repository where id = authorized.repository_id)
    as host_repository,
  exists (select from repository r
            join project p on p.id = r.project_id
            join github_connection c on c.installation_id = r.installation_id
             and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id)
           where r.id = authorized.repository_id) as connected`;

interface Asked {
  full_name: string;
  userId: string;
  query: { q?: string; limit: number; cursor?: string };
  signal: AbortSignal;
}

/** A page of branches in GitHub's order, and the cursor of the next one. Errors: those of GitHub. */
export async function githubBranches(
  { github, githubPlaces }: GithubServices,
  { installation, host_repository, connected }: OnGithub,
  { full_name: fullName, userId, query, signal }: Asked,
): Promise<{ shown: Branch[]; next: string | undefined }> {
  const offset = offsetOf(query.cursor);
  if (github === undefined) throw githubNotConfigured();
  if (!connected) throw githubNotConnected();
  const place = { installationId: Number(installation), repositoryId: Number(host_repository) };
  const { found, next } = await githubPlaces.run(userId, () =>
    asking(() =>
      scan(branchPages(github, place, { fullName, signal }), {
        offset,
        limit: query.limit,
        matches: ({ name }) => contains(name, query.q),
      }),
    ),
  );
  return {
    shown: found.map(({ name, head }) => ({ name, key: name, head })),
    next: next?.toString(),
  };
}
