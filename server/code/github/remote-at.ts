import { askedForRemote } from '../hosts/asked-for-remote.ts';
import type { Remote } from '../repositories/remote.ts';
import type { GitHub } from './app.ts';
import type { GitHubRepository } from './pulls.ts';
import { readRepository } from './read-repository.ts';

/** A repository on GitHub as git reaches it, with a token that opens it alone. Throws RemoteFailed. */
export async function remoteAt(
  github: GitHub,
  { installationId, repositoryId }: GitHubRepository,
  contents: 'read' | 'write',
): Promise<Remote> {
  const repository = { installationId, repositoryId };
  const { fullName, defaultBranch } = await askedForRemote(() =>
    readRepository(github, repository),
  );
  const scope = {
    installationId,
    repositoryIds: [repositoryId],
    permissions: { contents },
  } as const;
  return {
    url: `${github.webUrl}/${fullName}.git`,
    token: () => askedForRemote(() => github.token(scope)),
    defaultBranch,
  };
}
