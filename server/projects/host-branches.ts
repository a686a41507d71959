import { type HostedRepository, hostColumns, isConnected } from '../access/hosted-repository.ts';
import {
  asking,
  type Branch,
  type CodeHosts,
  contains,
  type GithubServices,
  offsetOf,
  requireHost,
  scan,
} from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';

/** Where a repository is, from the column below; null for one of this server. */
export interface OnHost {
  place: (HostedRepository & { connected: boolean }) | null;
}

/** The column of `OnHost`, of the repository of `authorized`. */
export const onHost: Sql = sql`
  (select to_json(place)
     from (select ${hostColumns}, ${isConnected} as connected
             from repository r join project p on p.id = r.project_id
            where r.id = authorized.repository_id and r.host <> 'local') place) as place`;

interface Asked {
  userId: string;
  query: { q?: string; limit: number; cursor?: string };
  signal: AbortSignal;
}

/** A page of branches in the order of the host, and the cursor of the next one. Errors: those of it. */
export async function hostBranches(
  { hosts, githubTransfers }: Pick<GithubServices, 'githubTransfers'> & { hosts: CodeHosts },
  place: NonNullable<OnHost['place']>,
  { userId, query, signal }: Asked,
): Promise<{ shown: Branch[]; next: string | undefined }> {
  const offset = offsetOf(query.cursor);
  const host = requireHost(hosts, place);
  const { found, next } = await githubTransfers.run(userId, () =>
    asking(() =>
      scan(host.branchPages(place, signal), {
        offset,
        limit: query.limit,
        pageSize: host.pageSize,
        matches: ({ name }) => contains(name, query.q),
      }),
    ),
  );
  return {
    shown: found.map(({ name, head }) => ({ name, key: name, head })),
    next: next?.toString(),
  };
}
