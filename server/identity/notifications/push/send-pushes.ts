import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { type Outgoing, OutgoingError } from '../../../platform/outgoing/outgoing.ts';
import { CannotOpen, type Sealing } from '../../../platform/sealing/sealing.ts';
import { wordsOf } from '../kinds.ts';
import { mayBeTold } from '../may-be-told.ts';
import { encrypt } from './encrypt.ts';
import { openAddress } from './sealed-push.ts';
import { type VapidKey, vapidAuthorization } from './vapid.ts';

interface PushNeeds {
  outgoing: Outgoing;
  sealing: Sealing;
  vapid: VapidKey;
  /** How a push service reaches the operator: `mailto:…`. */
  subject: string;
  log: Pick<Logger, 'warn'>;
}

/** Messages that one process sends at once. */
const CONCURRENCY = 16;
const WITHIN_MS = 15_000;
/** A process that has died held a message so long at most: longer than an attempt takes. */
const LEASE = '60 seconds';
/** After failed attempts; then what the browser is told is given up, for mail and Home have it. */
const RETRY_AFTER_SECONDS = [5, 60, 300, 1_800];
/** Seconds that a push service keeps a message for a browser that is not there. */
const KEPT_SECONDS = 12 * 3_600;
const LONGEST_TITLE = 200;

interface Due {
  subscription_id: string;
  task_id: string;
  generation: number;
  attempts: number;
  id: string;
  sealed: Buffer;
  sealed_key_id: string;
  type: string | null;
  reason: string | null;
  title: string;
  project_id: string;
}

/** Sends everything that is due to browsers. Any number of processes may do so. */
export const sendPushes = (db: Database, needs: PushNeeds) => async (): Promise<void> => {
  for (;;) {
    const due = await claim(db);
    await Promise.all(due.map((one) => attempt(db, one, needs)));
    if (due.length < CONCURRENCY) return;
  }
};

async function attempt(db: Database, due: Due, needs: PushNeeds): Promise<void> {
  const outcome = due.type === null ? 'done' : await send(due, needs);
  if (outcome === 'gone') return forget(db, due);
  const again = outcome === 'failed' ? RETRY_AFTER_SECONDS[due.attempts - 1] : undefined;
  await db.write(sql`
    update push_message
       set due_at = now() + ${again ?? null}::integer * interval '1 second',
           sent_at = case when ${outcome === 'done'} then now() else sent_at end
     where subscription_id = ${due.subscription_id} and task_id = ${due.task_id}
       and generation = ${due.generation}`);
}

/** `gone`: the browser has no such subscription any more. */
async function send(
  due: Due,
  { outgoing, sealing, vapid, subject, log }: PushNeeds,
): Promise<'done' | 'gone' | 'failed'> {
  try {
    const address = openAddress(sealing, { ...due, id: due.subscription_id });
    const text = JSON.stringify({
      title: wordsOf(due.type ?? '', due.reason ?? undefined),
      body: Array.from(due.title).slice(0, LONGEST_TITLE).join(''),
      url: `/projects/${due.project_id}/tasks/${due.task_id}`,
      tag: due.task_id,
    });
    const { status } = await outgoing.send({
      url: address.endpoint,
      method: 'POST',
      headers: {
        authorization: vapidAuthorization(vapid, {
          endpoint: address.endpoint,
          subject,
          seconds: Math.floor(Date.now() / 1_000),
        }),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(KEPT_SECONDS),
        urgency: 'normal',
        // A newer one about the task replaces one that still waits there.
        topic: due.task_id.replaceAll('-', ''),
      },
      body: encrypt(Buffer.from(text), {
        p256dh: Buffer.from(address.p256dh, 'base64url'),
        auth: Buffer.from(address.auth, 'base64url'),
      }),
      followRedirects: false,
      headOnly: true,
      timeout: WITHIN_MS,
    });
    if (status === 404 || status === 410) return 'gone';
    return status >= 200 && status < 300 ? 'done' : 'failed';
  } catch (err) {
    if (!(err instanceof OutgoingError || err instanceof CannotOpen))
      log.warn({ err, subscription: due.subscription_id }, 'a browser could not be told');
    return 'failed';
  }
}

const forget = async (db: Database, { subscription_id }: Due): Promise<void> => {
  await db.write(sql`delete from push_subscription where id = ${subscription_id}`);
};

/**
 * Claims what has been due longest. Without a type, it is not told any more: its person may not open
 * the task, has muted it, has signed out of that browser, or it is no longer so.
 */
const claim = (db: Pick<Database, 'write'>): Promise<Due[]> =>
  db.write<Due>(sql`
    with due as (
      select subscription_id, task_id from push_message where due_at <= now()
       order by due_at limit ${CONCURRENCY} for update skip locked),
    claimed as (
      update push_message m set due_at = now() + ${LEASE}::interval, attempts = m.attempts + 1
        from due where m.subscription_id = due.subscription_id and m.task_id = due.task_id
      returning m.*)
    select claimed.subscription_id, claimed.task_id, claimed.generation, claimed.attempts, s.sealed,
           s.sealed_key_id, t.title, t.project_id, n.data->>'reason' as reason,
           case when ${mayBeTold} and t.archived_at is null and coalesce(c.push, true)
                     and n.type <> all (coalesce(c.events_off, '{}'))
                     and exists (select from session b join app_user u on u.id = b.user_id and u.is_active
                                  where b.id = s.session_id and b.user_id = n.user_id
                                    and b.ended_at is null and b.expires_at > now() and not b.pending)
                then n.type end as type
      from claimed
      join push_subscription s on s.id = claimed.subscription_id
      join notification n on n.id = claimed.notification_id
      join task t on t.id = claimed.task_id
      left join notification_setting c on c.user_id = n.user_id`);
