import { asking, findOnGitea as find, type Gitea, HostError } from '../code/index.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { fieldError } from '../http/errors.ts';
import type { Found } from './find-on-github.ts';
import { hostNotConnected } from './repository.ts';

export const connectionMissing = fieldError(
  'gitea_connection_missing',
  ['body', 'connection_id'],
  'Choose a connection of the workspace of the project: `list_gitea_connections` has them',
);

export const notOnGitea = fieldError(
  'gitea_repository_not_found',
  ['body', 'full_name'],
  'The account of the token sees no such repository: check the name, or give the account access there',
);

/**
 * Finds a repository on the Gitea or Forgejo server of a connection. Errors: 422 host_not_connected,
 * gitea_connection_missing, gitea_repository_not_found, and those of Gitea.
 */
export async function findOnGitea(
  gitea: Gitea | undefined,
  { project_id }: { project_id: string },
  { full_name, connection_id }: { full_name: string; connection_id?: string },
  begin: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
): Promise<Found> {
  if (gitea === undefined) throw hostNotConnected();
  if (connection_id === undefined) throw connectionMissing();
  const [connection] = await begin((tx) =>
    tx.many(sql`
      select from gitea_connection c join project p on p.organization_id = c.organization_id
       where c.id = ${connection_id} and p.id = ${project_id}`),
  );
  if (connection === undefined) throw connectionMissing();
  const found = await asking(async () => {
    try {
      return await find(gitea, connection_id, full_name);
    } catch (error) {
      if (error instanceof HostError && error.code === 'gitea_repository_gone') throw notOnGitea();
      throw error;
    }
  });
  return {
    host: 'gitea',
    full_name: found.fullName,
    default_branch: found.defaultBranch,
    host_repository_id: found.id,
    installation_id: null,
    connection_id,
    host_url: found.hostUrl,
  };
}
