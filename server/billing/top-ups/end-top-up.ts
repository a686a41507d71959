import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { lockAccountOrSuccessor, post } from '../ledger/ledger.ts';
import { usdText } from '../ledger/money.ts';
import { afterTopUp } from './pause-auto-reload.ts';
import { CANCELED_BY_PERSON, isOpen, type TopUp } from './top-up.ts';

/**
 * Credits a captured top-up once: to its account or, if that was closed, to its successor (ruling
 * 3.8).
 */
export async function settle(tx: Tx, topUpId: string): Promise<void> {
  const topUp = await tx.one<TopUp & { session_id: string | null }>(sql`
    select t.*, (select session_id from top_up_session where top_up_id = t.id) as session_id
      from top_up t where t.id = ${topUpId} for update`);
  if (!isOpen(topUp) && topUp.status !== 'failed') return;
  const account = await lockAccountOrSuccessor(tx, topUp.account_id);
  const { balance } = await post(tx, {
    key: `topup:${topUpId}:credit`,
    kind: 'top_up',
    accountId: account.id,
    side: 'credit',
    counterpart: 'processor_clearing',
    amount: topUp.amount,
    reference: { type: 'top_up', id: topUpId },
  });
  await tx.many(sql`
    with succeeded as (
      update top_up
         set status = 'succeeded', failure_code = null, decline_code = null,
             next_check_at = null, updated_at = now()
       where id = ${topUpId} returning id)
    insert into outbox (topic, key, payload)
    select 'top_up_succeeded', id, jsonb_build_object('top_up_id', id) from succeeded`);
  await recordChange(tx, {
    caller: { userId: topUp.user_id, keyId: topUp.key_id, sessionId: topUp.session_id },
    action: 'funds.add',
    target: topUpId,
    organizationId: account.organization_id,
    before: { balance: usdText(account.balance) },
    after: { balance: usdText(balance) },
    requestId: topUp.request_id,
  });
  await afterTopUp(tx, topUp);
}

/**
 * Ends an open top-up as failed; the outbox gets a message if it was automatic. One that is cancelled
 * after its person asked for that is recorded as their act, whoever learns of it first. One that has
 * ended stays as it is.
 */
export const fail = (db: Database, topUpId: string, code: string, declineCode?: string) =>
  db.transaction(async (tx) => {
    const [failed] = await tx.many<Failed>(sql`
      with asked as (
        select key_id, session_id, request_id from top_up_cancellation
         where top_up_id = ${topUpId} and ${code}::text = 'canceled'),
      failed as (
        update top_up
           set status = 'failed', decline_code = ${declineCode ?? null},
               failure_code = case when exists (select from asked) then ${CANCELED_BY_PERSON}
                                   else ${code} end,
               next_check_at = null, updated_at = now()
         where id = ${topUpId} and status in ('created', 'processing') returning *),
      noted as (
        insert into outbox (topic, key, payload)
        select 'auto_reload_failed', id, jsonb_build_object('account_id', account_id)
          from failed where automatic)
      select failed.*, a.organization_id,
             (select json_build_object('keyId', key_id, 'sessionId', session_id,
                                       'requestId', request_id) from asked) as canceled_by
        from failed join billing_account a on a.id = failed.account_id`);
    if (failed === undefined) return;
    if (failed.canceled_by !== null) await recordCancellation(tx, failed, failed.canceled_by);
    await afterTopUp(tx, failed);
  });

/** The request of a person to cancel a charge. */
export interface Cancellation {
  keyId: string | null;
  sessionId: string | null;
  requestId: string;
}

type Failed = TopUp & { organization_id: string | null; canceled_by: Cancellation | null };

const recordCancellation = (
  tx: Tx,
  { id, user_id: userId, organization_id: organizationId }: Failed,
  { requestId, ...by }: Cancellation,
) =>
  recordChange(tx, {
    caller: { userId, ...by },
    action: 'top_up.cancel',
    target: id,
    organizationId,
    before: { status: 'processing' },
    after: { status: 'failed', failure_code: CANCELED_BY_PERSON },
    requestId,
  });

/**
 * Ends an open top-up that was certainly not executed. This also frees the client's key, so that
 * the same request may be sent again.
 */
export const markNotExecuted = (db: Database, topUpId: string) =>
  db.many(sql`
    update top_up
       set status = 'failed', failure_code = 'not_executed', client_key = null,
           next_check_at = null, updated_at = now()
     where id = ${topUpId} and status in ('created', 'processing')`);
