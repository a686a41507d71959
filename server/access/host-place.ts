import { sql } from '../db/sql.ts';

/** Where a repository on GitHub is: its number, what it is called now, and what opens it. */
export interface HostPlace {
  installationId: number;
  repositoryId: number;
  fullName: string;
}

/** SQL: the columns of HostPlace of a row `r` of `repository`; null for one of this server. */
export const placeOf = sql`
  r.installation_id::float8 as "installationId", r.host_repository_id::float8 as "repositoryId",
  r.full_name as "fullName"`;

/**
 * SQL: whether the owner of the project `p` may use the installation of the repository `r`: a
 * project that was given to someone else does not take it along. Null for one of this server.
 */
export const isConnected = sql`
  case when r.installation_id is not null
       then exists (select from github_connection c
                     where c.installation_id = r.installation_id
                       and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
  end`;
