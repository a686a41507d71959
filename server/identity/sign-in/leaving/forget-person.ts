import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { timestampSql } from '../../../http/timestamps.ts';

/**
 * Removes what a person signs in with and what is only theirs, and makes their row a pseudonym; who
 * may still name them is noted for `erase-traces.ts`. Lock the person first, and end what they belong
 * to. Returns when.
 */
export async function forgetPerson(tx: Tx, userId: string): Promise<string> {
  await endSignIn(tx, userId);
  await forgetSettings(tx, userId);
  // Under a key of its own, because the same address may be deleted again.
  await tx.many(sql`
    insert into outbox (topic, key, payload)
    select 'erase_person', id::text,
           jsonb_build_object('person', id, 'address', email, 'name', name)
      from app_user where id = ${userId}`);
  // What is removed hourly is looked for at once.
  await tx.many(sql`update retention_work set next_at = now()`);
  const { deleted_at } = await tx.one<{ deleted_at: string }>(sql`
    update app_user
       set email = id::text || '@former.invalid', name = 'Former member', is_active = false,
           two_factor = false, mail_warnings = false, deleted_at = clock_timestamp(),
           updated_at = clock_timestamp()
     where id = ${userId} and deleted_at is null
    returning ${timestampSql(sql`deleted_at`)} as deleted_at`);
  return deleted_at;
}

/** Keys and sessions stay as ids that the audit trail refers to, and say nothing any more. */
async function endSignIn(tx: Tx, userId: string): Promise<void> {
  await tx.many(sql`
    update api_key set revoked_at = coalesce(revoked_at, clock_timestamp()), name = 'Removed'
     where user_id = ${userId}`);
  const ofSession = sql`session_id in (select id from session where user_id = ${userId})`;
  await tx.many(sql`delete from provider_attempt where ${ofSession}`);
  await tx.many(sql`delete from passkey_challenge where ${ofSession}`);
  await tx.many(sql`
    delete from sign_in_link
     where user_id = ${userId}
        or mailbox(email) = (select mailbox(email) from app_user where id = ${userId})
           and purpose = 'sign_up' and ended_at is null`);
  await tx.many(sql`delete from push_subscription where user_id = ${userId}`);
  await tx.many(sql`
    update session
       set ended_at = coalesce(ended_at, clock_timestamp()), user_agent = null, network = null
     where user_id = ${userId}`);
  await tx.many(sql`delete from password where user_id = ${userId}`);
  await tx.many(sql`delete from totp where user_id = ${userId}`);
  await tx.many(sql`delete from passkey where user_id = ${userId}`);
  await tx.many(sql`delete from recovery_code where user_id = ${userId}`);
  await tx.many(sql`delete from identity where user_id = ${userId}`);
  await tx.many(sql`delete from github_connection where user_id = ${userId}`);
}

async function forgetSettings(tx: Tx, userId: string): Promise<void> {
  await tx.many(sql`
    delete from mail
     where status = 'queued'
       and mailbox(recipient) = (select mailbox(email) from app_user where id = ${userId})`);
  await tx.many(sql`delete from notification where user_id = ${userId}`);
  await tx.many(sql`delete from notification_mail where user_id = ${userId}`);
  await tx.many(sql`delete from notification_thread where user_id = ${userId}`);
  await tx.many(sql`delete from notification_setting where user_id = ${userId}`);
  await tx.many(sql`delete from task_subscription where user_id = ${userId}`);
  await tx.many(sql`delete from project_mute where user_id = ${userId}`);
  await tx.many(sql`delete from inbox_mark where user_id = ${userId}`);
  await tx.many(sql`delete from task_outcome where user_id = ${userId}`);
  await tx.many(sql`
    delete from attachment where uploaded_by_user_id = ${userId} and task_id is null`);
  await tx.many(sql`delete from idempotency_key where user_id = ${userId}`);
  await tx.many(sql`
    delete from invitation
     where status = 'pending'
       and mailbox(email) = (select mailbox(email) from app_user where id = ${userId})`);
  await tx.many(sql`
    update invitation set invited_by_name = 'Former member' where invited_by_user_id = ${userId}`);
}
