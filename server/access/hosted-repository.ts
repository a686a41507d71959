import { sql } from '../db/sql.ts';

/** Where a repository is: on which host, its number there, what it is called now, and what opens it. */
export interface HostedRepository {
  host: 'local' | 'github' | 'gitea';
  /** On GitHub; null elsewhere. */
  installationId: number;
  /** On Gitea; null elsewhere, and when the connection is gone. */
  connectionId: string | null;
  repositoryId: number;
  fullName: string;
}

/** SQL: the columns of HostedRepository of a row `r` of `repository`; null for one of this server. */
export const hostColumns = sql`
  r.host, r.installation_id::float8 as "installationId", r.connection_id as "connectionId",
  r.host_repository_id::float8 as "repositoryId", r.full_name as "fullName"`;

/**
 * SQL: whether the owner of the project `p` may use what opens the repository `r`: a project that was
 * given to someone else does not take it along. Null for one of this server.
 */
export const isConnected = sql`
  case r.host
    when 'github' then exists (
      select from github_connection c
       where c.installation_id = r.installation_id
         and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
    when 'gitea' then exists (
      select from gitea_connection c
       where c.id = r.connection_id and c.organization_id = p.organization_id)
  end`;
