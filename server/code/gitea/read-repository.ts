import type { HostedRepository } from '../../access/hosted-repository.ts';
import { isBranchName } from '../../http/input/branch-names.ts';
import type { HostBranch, HostRepository } from '../hosts/code-host.ts';
import { HostError, unlessGone } from '../hosts/host-error.ts';
import { commitOf, fields, type GiteaCall, idOf, items, named, part, textOf } from './api.ts';
import type { Gitea } from './open-gitea.ts';

/** The most that Gitea lists in a page, unless its operator allows more. */
export const GITEA_PAGE = 50;

const FULL_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}\/[A-Za-z0-9._-]{1,100}$/;

/** Throws a HostError: `gitea_repository_gone` if the account of the token does not see it. */
export async function readRepository(
  gitea: Gitea,
  { connectionId, repositoryId }: Pick<HostedRepository, 'connectionId' | 'repositoryId'>,
  signal?: AbortSignal,
): Promise<HostRepository> {
  const ask = await gitea.at({ connectionId });
  return described(() => ask({ path: `/repositories/${repositoryId}`, signal }));
}

/** The same by its name, for one whose number is not known. */
export async function findOnGitea(
  gitea: Gitea,
  connectionId: string,
  fullName: string,
): Promise<HostRepository & { hostUrl: string }> {
  const server = await gitea.server(connectionId);
  const found = await described(() => gitea.ask(server, { path: `/repos/${named(fullName)}` }));
  return { ...found, hostUrl: server.url };
}

async function described(ask: () => Promise<{ data: unknown }>): Promise<HostRepository> {
  const answer = await unlessGone(ask);
  if (answer === undefined) throw new HostError('gitea_repository_gone');
  const { id, full_name, default_branch, archived } = fields(answer.data);
  const fullName = textOf(full_name, 'name');
  if (!FULL_NAME.test(fullName)) throw new HostError('gitea_unavailable', { said: 'odd name' });
  const defaultBranch = textOf(default_branch, 'default branch');
  if (!isBranchName(defaultBranch)) throw new HostError('gitea_default_branch_unusable');
  return { id: idOf(id, 'id'), fullName, defaultBranch, archived: archived === true };
}

/**
 * Calls about a repository under the name that it has now: under its former one there may be another
 * repository by now, which the same token opens.
 */
export async function inRepository(
  gitea: Gitea,
  repository: Pick<HostedRepository, 'connectionId' | 'repositoryId'>,
  signal?: AbortSignal,
) {
  const ask = await gitea.at(repository);
  const { fullName } = await described(() =>
    ask({ path: `/repositories/${repository.repositoryId}`, signal }),
  );
  return (call: GiteaCall) =>
    ask({ signal, ...call, path: `/repos/${named(fullName)}${call.path}` });
}

export const branchPages = (gitea: Gitea, repository: HostedRepository, signal: AbortSignal) => {
  const asking = inRepository(gitea, repository, signal);
  // It is asked for before its first use.
  asking.catch(() => {});
  return async (page: number) => {
    const ask = await asking;
    const { data, total } = await ask({ path: '/branches', query: { page, limit: GITEA_PAGE } });
    const found = items(data).map(
      ({ name, commit }): HostBranch => ({
        name: textOf(name, 'name of a branch'),
        head: commitOf(fields(commit).id, 'commit of a branch'),
      }),
    );
    return { items: found, more: (total ?? 0) > page * GITEA_PAGE };
  };
};

export async function hasBranch(
  gitea: Gitea,
  repository: HostedRepository,
  branch: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ask = await inRepository(gitea, repository, signal);
  const found = await unlessGone(() => ask({ path: `/branches/${part(branch)}` }));
  return found !== undefined;
}
