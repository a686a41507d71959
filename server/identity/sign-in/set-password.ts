import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { recordChange } from '../../platform/audit/audit.ts';

/**
 * Sets the password of the caller: ends their other sessions, all links that sign them in and the
 * applications that they have connected, which whoever knew the former password may have. Lock the
 * person first.
 */
export async function setPassword(
  tx: Pick<Tx, 'many'>,
  { caller, phc, requestId }: { caller: Caller; phc: string; requestId: string },
): Promise<void> {
  const { userId, sessionId } = caller;
  await tx.many(sql`
    insert into password (user_id, phc) values (${userId}, ${phc})
    on conflict (user_id) do update set phc = excluded.phc, set_at = clock_timestamp()`);
  const ended = await tx.many(sql`
    update session set ended_at = clock_timestamp()
     where user_id = ${userId} and id <> ${sessionId} and ended_at is null returning id`);
  await tx.many(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where user_id = ${userId} and ended_at is null`);
  const applications = await tx.many(sql`
    update api_key set revoked_at = clock_timestamp()
     where user_id = ${userId} and oauth_client_id is not null and revoked_at is null
       and (expires_at > now() or exists (
             select from oauth_connection o where o.key_id = id and o.expires_at > now()))
    returning id`);
  await recordChange(tx, {
    caller,
    action: 'password.set',
    target: userId,
    requestId,
    before: {},
    after: {
      sessions_ended: ended.length,
      ...(applications.length > 0 && { applications_ended: applications.length }),
    },
  });
}
