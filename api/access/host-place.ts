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
