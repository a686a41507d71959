import type { Database } from '../../db/database/database.ts';
import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { QueuedMail } from './mail.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * How long after each failed attempt the next one follows, give or take a fifth; then it is dead.
 */
export const RETRY_AFTER_MS = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  8 * HOUR,
  12 * HOUR,
];
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1;

/**
 * How long a claimed mail belongs to its worker, as an interval of PostgreSQL, which renews it while
 * its attempt lasts. If it ends, the worker has died, and another one sends the mail.
 */
export const LEASE = '2 minutes';

const MAX_ERROR = 500;

/** SQL: whether a mail of these kinds is due. */
export const isDue = (kinds: readonly string[]): Sql => sql`
  status = 'queued' and next_attempt_at <= now() and kind = any(${kinds}::text[])`;

/** Claims the mail that has been due longest, if there is one; its attempt is counted. */
export async function claim(
  db: Pick<Database, 'write'>,
  kinds: string[],
): Promise<QueuedMail | undefined> {
  const [mail] = await db.write<QueuedMail>(sql`
    with due as (
      select id from mail
       where ${isDue(kinds)}
       order by next_attempt_at limit 1
         for update skip locked)
    update mail set attempts = attempts + 1, next_attempt_at = now() + ${LEASE}::interval
      from due where mail.id = due.id
    returning mail.id, kind, recipient, subject_id as "subjectId", generation, attempts`);
  return mail;
}

/** Keeps a claimed mail for its worker, unless another one has claimed it since. */
export async function renew(
  db: Pick<Database, 'write'>,
  { id, attempts }: Pick<QueuedMail, 'id' | 'attempts'>,
): Promise<void> {
  await db.write(sql`
    update mail set next_attempt_at = now() + ${LEASE}::interval
     where id = ${id} and status = 'queued' and attempts = ${attempts}`);
}

/** Ends a mail that was sent, or that need not be sent any more. */
export async function end(
  db: Pick<Database, 'write'>,
  { id }: Pick<QueuedMail, 'id'>,
  status: 'sent' | 'obsolete',
): Promise<void> {
  await db.write(sql`
    update mail set status = ${status}, next_attempt_at = null, ended_at = now(), last_error = null
     where id = ${id} and status = 'queued'`);
}

/**
 * Records a failed attempt. The mail is due again later, or dead after a permanent refusal or the
 * last attempt. Nothing changes if another worker has claimed it since.
 */
export async function fail(
  db: Pick<Database, 'write'>,
  { id, attempts }: Pick<QueuedMail, 'id' | 'attempts'>,
  { reason, permanent }: { reason: string; permanent: boolean },
): Promise<'dead' | 'deferred'> {
  const error = reason.slice(0, MAX_ERROR);
  const pause = RETRY_AFTER_MS[attempts - 1];
  if (permanent || pause === undefined) {
    await db.write(sql`
      update mail set status = 'dead', next_attempt_at = null, ended_at = now(),
        last_error = ${error}
       where id = ${id} and status = 'queued' and attempts = ${attempts}`);
    return 'dead';
  }
  const jittered = Math.round(pause * (0.8 + 0.4 * Math.random()));
  await db.write(sql`
    update mail set next_attempt_at = now() + ${jittered}::integer * interval '1 millisecond',
      last_error = ${error}
     where id = ${id} and status = 'queued' and attempts = ${attempts}`);
  return 'deferred';
}

/** Mail that was sent or became obsolete. Dead mail waits for an operator. */
export const oldMail = (days: number): RetentionRule =>
  retentionRule({
    name: 'sent mail',
    setting: 'RETENTION_MAIL_DAYS',
    days,
    which: (before) => sql`
      select id from mail
       where status in ('sent', 'obsolete') and ended_at < ${before} order by ended_at`,
    remove: (due) => sql`delete from mail where id = ${due} returning id`,
  });
