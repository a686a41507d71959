import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { CannotOpen, type Sealing } from '../../platform/sealing/sealing.ts';
import { HostError } from '../hosts/host-error.ts';
import { fields, idOf, items } from './api.ts';
import type { Gitea } from './open-gitea.ts';
import { inRepository } from './read-repository.ts';
import { hookContext } from './sealed-tokens.ts';

const BATCH = 20;
/** After what could not be registered: a token without the right stays so for a while. */
const AGAIN = '1 hour';
/**
 * `status` is what checks end with; the rest is what moves a pull request, or is written about it:
 * `pull_request` is comments and reviews, too.
 */
const EVENTS = [
  'create',
  'delete',
  'issue_comment',
  'pull_request',
  'push',
  'repository',
  'status',
];

export interface WebhookWork {
  gitea: Gitea;
  sealing: Sealing;
  publicUrl: string;
  log: Logger;
}

/** Where the server of a repository sends its events. */
const webhookPath = (repositoryId: string): string => `/webhooks/gitea/${repositoryId}`;

/**
 * Registers a webhook, with a secret of its own, in each repository on Gitea that projects use. What a
 * lost one would have said is found by polling, so a failure is only recorded. Any number of processes
 * may do it. Returns how many were registered.
 */
export async function registerWebhooks(db: Database, work: WebhookWork): Promise<number> {
  await begin(db, work.sealing);
  const due = await db.many<Due>(sql`
    with due as materialized (
      select w.repository_id
        from gitea_webhook w
        join repository r on r.id = w.repository_id
        join project p on p.id = r.project_id
       where w.host_hook_id is null and w.not_before <= now() and ${isConnected}
         and r.unavailable_reason is null
       order by w.not_before limit ${BATCH} for update of w skip locked)
    update gitea_webhook w set not_before = now() + ${AGAIN}::interval
      from due, repository r
     where w.repository_id = due.repository_id and r.id = due.repository_id
    returning w.repository_id as id, w.secret as sealed, w.secret_key_id as "keyId", ${hostColumns}`);
  let registered = 0;
  for (const each of due)
    try {
      const hook = await register(each, work);
      await db.many(sql`
        update gitea_webhook set host_hook_id = ${hook}, last_error = null
         where repository_id = ${each.id}`);
      registered += 1;
    } catch (error) {
      if (!(error instanceof HostError || error instanceof CannotOpen)) throw error;
      work.log.warn({ err: error, repository: each.id }, 'a webhook could not be registered');
      await db.many(sql`
        update gitea_webhook set last_error = ${error.message.slice(0, 500)}
         where repository_id = ${each.id}`);
    }
  return registered;
}

interface Due extends HostedRepository {
  id: string;
  sealed: Buffer;
  keyId: string;
}

/** Stores the secret before the server is told it: one that dies between leaves no other behind. */
async function begin(db: Database, sealing: Sealing): Promise<void> {
  const fresh = await db.many<{ id: string }>(sql`
    select r.id
      from repository r join project p on p.id = r.project_id
     where r.host = 'gitea' and ${isConnected} and r.unavailable_reason is null
       and not exists (select from gitea_webhook w where w.repository_id = r.id)
     limit ${BATCH}`);
  for (const { id } of fresh) {
    const secret = Buffer.from(randomBytes(32).toString('base64url'));
    const { sealed, keyId } = sealing.seal(secret, hookContext(id));
    await db.many(sql`
      insert into gitea_webhook (repository_id, secret, secret_key_id)
      select id, ${sealed}, ${keyId} from repository where id = ${id}
      on conflict do nothing`);
  }
}

/** One that an earlier attempt has made is replaced: what secret it has cannot be asked. */
async function register(due: Due, { gitea, sealing, publicUrl }: WebhookWork): Promise<number> {
  const url = publicUrl + webhookPath(due.id);
  const secret = sealing.open(due, hookContext(due.id)).toString();
  const ask = await inRepository(gitea, due);
  const { data } = await ask({ path: '/hooks', query: { limit: 50 } });
  for (const hook of items(data))
    if (fields(hook.config).url === url)
      await ask({ method: 'DELETE', path: `/hooks/${idOf(hook.id, 'id of a webhook')}` });
  const config = { url, content_type: 'json', secret };
  const body = { type: 'gitea', active: true, events: EVENTS, config };
  const made = await ask({ method: 'POST', path: '/hooks', body });
  return idOf(fields(made.data).id, 'id of a webhook');
}
