import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { recordChange } from '../../platform/audit/audit.ts';

/**
 * Sets the password of the caller: ends their other sessions and all links that sign them in, which
 * whoever knew the former password may have. Lock the person first.
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
  await recordChange(tx, {
    caller,
    action: 'password.set',
    target: userId,
    requestId,
    before: {},
    after: { sessions_ended: ended.length },
  });
}
