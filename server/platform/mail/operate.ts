import type { Tx } from '../../db/database/database.ts';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { LEASE } from './outbox.ts';

/** What an operator sees of the outbox and does to it. */

export const MAIL_STATUSES = ['queued', 'sent', 'dead', 'obsolete'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** `next_attempt_at` only while it is queued, `ended_at` only afterwards. */
export interface ListedMail {
  id: string;
  kind: string;
  recipient: string;
  status: MailStatus;
  attempts: number;
  last_error: string | null;
  created_at: Date;
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

/** The newest mails, at most `limit`, of one status or of all. */
export const listMail = (
  db: Pick<Tx, 'many'>,
  { status, limit }: { status: MailStatus | undefined; limit: number },
): Promise<ListedMail[]> =>
  db.many<ListedMail>(sql`
    select id, kind, recipient, status, attempts, last_error, created_at, next_attempt_at, ended_at
      from mail
      ${status === undefined ? nothing : sql`where ${OF_STATUS[status]}`}
     order by created_at desc, id desc
     limit ${limit}`);

/** SQL: the condition. Written out, because a parameter would not find the indexes of a status. */
export const OF_STATUS: Record<MailStatus, Sql> = {
  queued: sql`status = 'queued'`,
  sent: sql`status = 'sent'`,
  dead: sql`status = 'dead'`,
  obsolete: sql`status = 'obsolete'`,
};

/**
 * Makes a mail due now, with all its attempts before it: one that is dead, or that waits for a
 * later attempt. Returns `queued` if it did, otherwise why not; `due` is one that is being sent or
 * is about to be.
 */
export async function resendMail(
  tx: Pick<Tx, 'many'>,
  id: string,
): Promise<'queued' | 'due' | 'sent' | 'obsolete' | 'unknown'> {
  const resent = await tx.many(sql`
    update mail set status = 'queued', attempts = 0, next_attempt_at = now(), ended_at = null
     where id = ${id}
       and (status = 'dead' or status = 'queued' and next_attempt_at > now() + ${LEASE}::interval)
    returning id`);
  if (resent.length === 1) return 'queued';
  const [mail] = await tx.many<{ status: 'queued' | 'sent' | 'obsolete' }>(sql`
    select status from mail where id = ${id}`);
  if (mail === undefined) return 'unknown';
  return mail.status === 'queued' ? 'due' : mail.status;
}

/**
 * Makes mails due now that died before `before`: at most 500, so that a transaction stays short.
 * Returns their ids.
 */
export const resendDead = async (tx: Pick<Tx, 'many'>, before: Date): Promise<string[]> => {
  const resent = await tx.many<{ id: string }>(sql`
    update mail set status = 'queued', attempts = 0, next_attempt_at = now(), ended_at = null
     where id = any(array(select id from mail
                           where status = 'dead' and ended_at <= ${before}
                           order by created_at desc, id desc limit 500
                             for update skip locked))
    returning id`);
  return resent.map(({ id }) => id);
};
