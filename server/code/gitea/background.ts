import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type HostedRepository, hostColumns } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { openLoop } from '../../platform/loop.ts';
import type { HostRepository } from '../hosts/code-host.ts';
import { HostError, type HostErrorCode } from '../hosts/host-error.ts';
import type { Gitea } from './open-gitea.ts';
import { readRepository } from './read-repository.ts';
import { registerWebhooks, type WebhookWork } from './webhooks.ts';

const ROUND_EVERY = 5_000;
/** What is cut off is due again later. */
const FINISH_WITHIN = 5_000;
const BATCH = 20;
/** How long nothing is asked about what no webhook has named. */
const QUIET = '10 minutes';

/**
 * Registers webhooks, and refreshes the repositories on Gitea that were not refreshed for a while. Any
 * number of processes may run it.
 */
export function giteaWork(db: Database, work: WebhookWork) {
  const { gitea, log } = work;
  const rounds = async () => {
    await refreshRepositories(db, gitea, log);
    await registerWebhooks(db, work);
  };
  const loop = openLoop(rounds, { every: ROUND_EVERY, what: 'the work for Gitea', log });
  return {
    start: () => loop.start(),
    /** Begins nothing more, and waits a few seconds for what has begun. */
    close: async () => {
      await Promise.race([loop.stop(), pause(FINISH_WITHIN, undefined, { ref: false })]);
    },
  };
}

/** Why a repository that a project uses cannot be used now. */
const REASONS: Partial<Record<HostErrorCode, string>> = {
  gitea_token_refused: 'token_refused',
  gitea_permission_missing: 'permission_missing',
  gitea_repository_gone: 'repository_gone',
};

/** Stores what is called how now, and whether it can be used. Returns how many it refreshed. */
export async function refreshRepositories(
  db: Database,
  gitea: Gitea,
  log: Logger,
): Promise<number> {
  const due = await db.many<HostedRepository & { id: string }>(sql`
    with due as (
      select id from repository
       where host = 'gitea' and connection_id is not null and looked_at < now() - ${QUIET}::interval
       order by looked_at limit ${BATCH} for update skip locked)
    update repository r set looked_at = now() from due where due.id = r.id
    returning r.id, ${hostColumns}`);
  for (const repository of due)
    try {
      await db.many(seen(repository.id, await readRepository(gitea, repository)));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const reason = REASONS[error.code];
      if (reason !== undefined) await db.many(unavailable(repository.id, reason));
      else
        log.warn(
          { err: error, repository: repository.id },
          'a repository on Gitea could not be refreshed',
        );
    }
  return due.length;
}

const seen = (id: string, { fullName, defaultBranch }: HostRepository): Sql => sql`
  update repository
     set full_name = ${fullName}, default_branch = ${defaultBranch}, unavailable_reason = null,
         updated_at = case when (full_name, default_branch, unavailable_reason)
                                is distinct from (${fullName}, ${defaultBranch}, null::text)
                           then now() else updated_at end
   where id = ${id}`;

const unavailable = (id: string, reason: string): Sql => sql`
  update repository
     set unavailable_reason = ${reason},
         updated_at = case when unavailable_reason is distinct from ${reason}
                           then now() else updated_at end
   where id = ${id}`;
