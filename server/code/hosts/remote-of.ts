import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Remote, RemoteFailed } from '../repositories/remote.ts';
import { taskRepository } from '../repositories/task-repository.ts';
import type { CodeHosts } from './code-host.ts';

/**
 * Where the code of a project's tasks is, if it is on another host. The host is asked what the
 * repository is called now: Git is not let follow redirects, for it would take the token along. Throws
 * RemoteFailed.
 */
export const remoteOf =
  (db: Database, hosts: CodeHosts) =>
  async (projectId: string): Promise<Remote | undefined> => {
    const repository = await db.maybeOne<HostedRepository & { connected: boolean }>(sql`
      select ${hostColumns}, ${isConnected} as connected
        from repository r join project p on p.id = r.project_id
       where r.project_id = ${projectId} and r.host <> 'local' and ${taskRepository(sql`r`)}`);
    if (repository === undefined) return undefined;
    const host = hosts.of(repository);
    if (host === undefined) throw new RemoteFailed(NOT_CONFIGURED[repository.host], false);
    if (!repository.connected) throw new RemoteFailed(NOT_CONNECTED[repository.host], false);
    return host.remote(repository, 'write');
  };

const NOT_CONFIGURED = {
  local: '',
  github:
    'The code of this project is on GitHub, and this server has no GitHub App any more: ask its ' +
    'operator to set it up.',
  gitea:
    'The code of this project is on Gitea, and this worker cannot open the token: ask the operator ' +
    'to give it SERVER_SECRET.',
};

const NOT_CONNECTED = {
  local: '',
  github:
    'The account on GitHub is not connected with the owner of the project any more: ask the operator ' +
    'of this server to connect it.',
  gitea:
    'The workspace of the project has no connection to this Gitea or Forgejo server any more: an ' +
    'admin can add one in the settings of the workspace.',
};
