import { asking, findRepository, type GithubServices, HostError } from '../code/index.ts';
import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { fieldError } from '../http/errors.ts';
import { hostNotConnected } from './repository.ts';

/** A repository of any host, to be attached. */
export interface Found {
  host: string;
  full_name: string;
  default_branch: string;
  host_repository_id: number | null;
  installation_id: number | null;
  connection_id: string | null;
  host_url: string | null;
}

export const accountNotConnected = fieldError(
  'account_not_connected',
  ['body', 'full_name'],
  'This account on GitHub is not connected with the owner of the project: install the GitHub App ' +
    'there, and ask the operator of this server to connect it (docs/github.md)',
);

export const repositoryNotFound = fieldError(
  'repository_not_found',
  ['body', 'full_name'],
  'The GitHub App has no such repository in this account: check the name, or add the repository ' +
    'in the settings of the installation on GitHub',
);

interface Place extends Caller {
  project_id: string;
}

/**
 * Finds a repository on GitHub through the installation of its account that the owner of the
 * project may use. Errors: 422 host_not_connected, account_not_connected, repository_not_found, and
 * those of GitHub.
 */
export async function findOnGithub(
  { github, githubTransfers }: GithubServices,
  { project_id, userId }: Place,
  fullName: string,
  begin: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
): Promise<Found> {
  if (github === undefined) throw hostNotConnected();
  const [login = ''] = fullName.split('/');
  const [installation] = await begin((tx) =>
    tx.many<{ id: string }>(installationsOf(project_id, login)),
  );
  if (installation === undefined) throw accountNotConnected();
  const installationId = Number(installation.id);
  const find = async () => {
    try {
      return await findRepository(github, installationId, fullName);
    } catch (error) {
      if (error instanceof HostError && error.code === 'github_repository_gone')
        throw repositoryNotFound();
      throw error;
    }
  };
  const found = await githubTransfers.run(userId, () => asking(find));
  return {
    host: 'github',
    full_name: found.fullName,
    default_branch: found.defaultBranch,
    host_repository_id: found.id,
    installation_id: installationId,
    connection_id: null,
    host_url: null,
  };
}

// An account has one installation; an earlier one that was removed may be stored beside it.
const installationsOf = (projectId: string, login: string): Sql => sql`
  select i.id::text as id
    from project p
    join github_connection c
      on c.organization_id = p.organization_id or c.user_id = p.owner_user_id
    join github_installation i on i.id = c.installation_id
   where p.id = ${projectId} and lower(i.account_login) = lower(${login})
   order by i.deleted_at is null desc, i.id desc
   limit 1`;
