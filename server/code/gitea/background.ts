import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type HostedRepository, hostColumns } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { openLoop } from '../../platform/loop.ts';
import type { HostRepository } from '../hosts/code-host.ts';
import { HostError, type HostErrorCode } from '../hosts/host-error.ts';
import { fields, idOf, textOf } from './api.ts';
import type { Gitea, GiteaAccount } from './open-gitea.ts';
import { readRepository } from './read-repository.ts';
import { registerWebhooks, type WebhookWork } from './webhooks.ts';

const ROUND_EVERY = 5_000;
/** What is cut off is due again later. */
const FINISH_WITHIN = 5_000;
const BATCH = 20;
/** How long nothing is asked about what no webhook has named. */
const QUIET = '10 minutes';

/**
 * Registers webhooks, and refreshes the accounts and the repositories on Gitea that were not refreshed
 * for a while. Any number of processes may run it.
 */
export function giteaWork(db: Database, work: WebhookWork) {
  const { gitea, log } = work;
  const rounds = async () => {
    await refreshAccounts(db, gitea, log);
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

/** Stores whose the tokens are now: who is renamed, is mentioned by another name. */
export async function refreshAccounts(db: Database, gitea: Gitea, log: Logger): Promise<void> {
  const due = await db.many<{ id: string; since: string }>(sql`
    with due as (
      select id from gitea_connection where account_asked_at < now() - ${QUIET}::interval
       order by account_asked_at limit ${BATCH} for update skip locked)
    update gitea_connection c set account_asked_at = now() from due where due.id = c.id
    returning c.id, c.updated_at::text as since`);
  for (const connection of due)
    try {
      const ask = await gitea.at({ connectionId: connection.id });
      const { id, login } = fields((await ask({ path: '/user' })).data);
      const account = { id: idOf(id, 'id of an account'), login: textOf(login, 'login') };
      await db.many(accountIs(connection, account));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (UNTOLD.includes(error.code)) await db.many(accountIs(connection, undefined));
      else
        log.warn({ err: error, connection: connection.id }, 'Gitea did not say whose a token is');
    }
}

/** What a token is refused that does not say whose it is: one of before has no scope for it. */
const UNTOLD: readonly HostErrorCode[] = ['gitea_token_refused', 'gitea_permission_missing'];

// Unless it has another token by now.
const accountIs = (
  { id, since }: { id: string; since: string },
  account: GiteaAccount | undefined,
): Sql => sql`
  update gitea_connection
     set account_id = ${account?.id ?? null},
         account_login = ${account?.login.slice(0, 100) ?? null}
   where id = ${id} and updated_at = ${since}::timestamptz`;

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
