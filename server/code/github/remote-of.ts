import { type HostPlace, isConnected, placeOf } from '../../access/host-place.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Remote, RemoteFailed } from '../repositories/remote.ts';
import { taskRepository } from '../repositories/task-repository.ts';
import type { GitHub } from './app.ts';
import { HostError } from './host-error.ts';
import { readRepository } from './read-repository.ts';

/**
 * Where the code of a project's tasks is, if it is on GitHub. GitHub is asked what the repository is
 * called now: Git is not let follow redirects, for it would take the token along. Throws
 * RemoteFailed.
 */
export const remoteOf =
  (db: Database, github: GitHub | undefined) =>
  async (projectId: string): Promise<Remote | undefined> => {
    const place = await db.maybeOne<HostPlace & { connected: boolean }>(sql`
      select ${placeOf}, ${isConnected} as connected
        from repository r join project p on p.id = r.project_id
       where r.project_id = ${projectId} and r.host = 'github' and ${taskRepository(sql`r`)}`);
    if (place === undefined) return undefined;
    if (github === undefined) throw new RemoteFailed(NOT_CONFIGURED, false);
    if (!place.connected) throw new RemoteFailed(NOT_CONNECTED, false);
    return remoteAt(github, place, 'write');
  };

/** A repository on GitHub as git reaches it, with a token that opens it alone. Throws RemoteFailed. */
export async function remoteAt(
  github: GitHub,
  { installationId, repositoryId }: Pick<HostPlace, 'installationId' | 'repositoryId'>,
  contents: 'read' | 'write' = 'read',
): Promise<Remote> {
  const place = { installationId, repositoryId };
  const { fullName, defaultBranch } = await asked(() => readRepository(github, place));
  const scope = {
    installationId,
    repositoryIds: [repositoryId],
    permissions: { contents },
  } as const;
  return {
    url: `${github.webUrl}/${fullName}.git`,
    token: () => asked(() => github.token(scope)),
    defaultBranch,
  };
}

const NOT_CONFIGURED =
  'The code of this project is on GitHub, and this server has no GitHub App any more: ask its ' +
  'operator to set it up.';

const NOT_CONNECTED =
  'The account on GitHub is not connected with the owner of the project any more: ask the operator ' +
  'of this server to connect it.';

async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new RemoteFailed(`${error.message}.`, error.passes, { cause: error });
  }
}
