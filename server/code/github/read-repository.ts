import { isBranchName } from '../../http/input/branch-names.ts';
import type { HostBranch, HostRepository } from '../hosts/code-host.ts';
import { HostError, unlessGone } from '../hosts/host-error.ts';
import type { Api, GitHub } from './app.ts';
import { GITHUB_PAGE, hasNext } from './scan.ts';
import type { Permissions } from './tokens.ts';

/** Where a repository is: its number on GitHub, and the installation that opens it. */
interface RepositoryInInstallation {
  installationId: number;
  repositoryId: number;
}

/** Calls with a token that opens this repository alone. */
export const inRepository = (
  github: GitHub,
  { installationId, repositoryId }: RepositoryInInstallation,
  permissions: Permissions,
): Api => github.as({ installationId, repositoryIds: [repositoryId], permissions });

/**
 * Reads a repository by its number, which stays when it is renamed: it is the only one that a token
 * made for it lists. Throws a HostError: `github_repository_gone` if the installation does not have
 * it.
 */
export async function readRepository(
  github: GitHub,
  repository: RepositoryInInstallation,
  signal?: AbortSignal,
): Promise<HostRepository> {
  const api = inRepository(github, repository, { metadata: 'read' });
  const { data } = await api.request('GET /installation/repositories', {
    per_page: GITHUB_PAGE,
    request: signal ? { signal } : {},
  });
  const found = data.repositories?.find(({ id }) => Number(id) === repository.repositoryId);
  if (found === undefined) throw new HostError('github_repository_gone');
  return described(found);
}

/** The same by its name, for one whose number is not known: with a token for all of the account. */
export async function findRepository(
  github: GitHub,
  installationId: number,
  fullName: string,
): Promise<HostRepository> {
  const [owner = '', repo = ''] = fullName.split('/');
  const api = github.as({ installationId, permissions: { metadata: 'read' } });
  const answer = await unlessGone(() => api.request('GET /repos/{owner}/{repo}', { owner, repo }));
  if (answer === undefined) throw new HostError('github_repository_gone');
  // A public repository can be read with any token; only one of the installation can be used.
  return readRepository(github, { installationId, repositoryId: described(answer.data).id });
}

function described(data: unknown): HostRepository {
  const read = data as { id: unknown; full_name: unknown; default_branch: unknown };
  const [id, fullName, branch] = [Number(read.id), read.full_name, read.default_branch];
  if (!Number.isSafeInteger(id) || typeof fullName !== 'string' || typeof branch !== 'string')
    throw new HostError('github_unavailable', { said: 'no repository in the answer' });
  if (!isBranchName(branch)) throw new HostError('github_default_branch_unusable');
  const archived = (data as { archived?: unknown }).archived === true;
  return { id, fullName, defaultBranch: branch, archived };
}

/** The branches of a repository by the pages of GitHub, for `scan`. */
export function branchPages(
  github: GitHub,
  repository: RepositoryInInstallation,
  { fullName, signal }: { fullName: string; signal: AbortSignal },
) {
  const [owner = '', repo = ''] = fullName.split('/');
  const api = inRepository(github, repository, { contents: 'read' });
  return async (page: number) => {
    const { data, headers } = await api.request('GET /repos/{owner}/{repo}/branches', {
      owner,
      repo,
      page,
      per_page: GITHUB_PAGE,
      request: { signal },
    });
    const items = data.map(({ name, commit }): HostBranch => ({ name, head: commit.sha }));
    return { items, more: hasNext(headers) };
  };
}
