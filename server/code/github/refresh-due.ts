import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { HostError } from '../hosts/host-error.ts';
import type { GitHub } from './app.ts';
import { refreshInstallation } from './refresh-installation.ts';
import { type RepositoryOnGitHub, refreshRepository } from './refresh-repository.ts';

const BATCH = 20;
/** How long nothing is asked about what no webhook has named. */
const QUIET = '10 minutes';

/** `ending`: begin nothing more. */
export interface RefreshOptions {
  log: Logger;
  ending?: AbortSignal;
}

/**
 * Refreshes the installations and repositories that were not refreshed for a while: what no webhook
 * has said is found so. Any number of processes may do it. Returns how many it refreshed.
 */
export async function refreshDue(
  db: Database,
  github: GitHub,
  { log, ending }: RefreshOptions,
): Promise<number> {
  const installations = await db.many<{ id: string }>(sql`
    with due as (
      select id from github_installation
       where looked_at < now() - ${QUIET}::interval and deleted_at is null
       order by looked_at limit ${BATCH} for update skip locked)
    update github_installation i set looked_at = now() from due where due.id = i.id
    returning i.id::text`);
  const attempt = attempts(log, ending);
  for (const { id } of installations)
    await attempt({ installation: id }, () => refreshInstallation(db, github, Number(id)));
  const repositories = await db.many<RepositoryOnGitHub>(sql`
    with due as (
      select id from repository
       where host = 'github' and looked_at < now() - ${QUIET}::interval
       order by looked_at limit ${BATCH} for update skip locked)
    update repository r set looked_at = now() from due where due.id = r.id
    returning r.id, r.installation_id::text, r.host_repository_id::text`);
  for (const each of repositories)
    await attempt({ repository: each.id }, () => refreshRepository(db, github, each));
  return installations.length + repositories.length;
}

/** What fails is tried again when it is due again. */
const attempts =
  (log: Logger, ending: AbortSignal | undefined) =>
  async (about: object, refresh: () => Promise<unknown>): Promise<void> => {
    try {
      if (!ending?.aborted) await refresh();
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      log.warn({ err: error, ...about }, 'GitHub could not be read; trying again');
    }
  };
