import { type Sql, sql } from '../../db/sql.ts';

/** Where the repositories of each host are, without a slash at the end. */
export interface HostUrls {
  publicUrl: string;
  githubUrl: string;
}

/** SQL: what `git clone` takes for a row of `repository`. */
export const cloneUrl = (row: Sql, { publicUrl, githubUrl }: HostUrls): Sql => sql`
  case ${row}.host
    when 'local' then ${`${publicUrl}/git/`} || ${row}.project_id || '/' || ${row}.full_name || '.git'
    when 'github' then ${`${githubUrl}/`} || ${row}.full_name || '.git'
    when 'gitea' then ${row}.host_url || '/' || ${row}.full_name || '.git' end`;
