import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { successors } from './top-ups.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/**
 * Refunds, disputes, gifts and void test money against the rows that explain them: refunds and disputes equal
 * the totals of their top-up, an operator's refund was posted, and a gift refers to an audit event,
 * as does what was voided.
 */
export const auditMovements = async (tx: Tx): Promise<LedgerViolation[]> => [
  ...(await totalsAgainstRows(tx)),
  ...(await refundsAgainstRows(tx)),
  ...(await rowsAgainstOrigins(tx)),
];

// What refunds and disputes took from customers in total, by top-up, minus what was given back.
const taken = sql`(
  select reference_id as id,
         coalesce(sum(micro) filter (where kind in ('refund', 'refund_reversal')), 0) as refunded,
         coalesce(sum(micro) filter (
           where kind in ('dispute', 'dispute_reversal')), 0) as withdrawn,
         coalesce(sum(micro) filter (where micro > 0 and kind = 'refund'), 0) as ever_refunded
    from (
      select reference_id, kind,
             case when account_id = debit_account_id then amount else -amount end as micro
        from ledger_transfer
       where kind in ('refund', 'refund_reversal', 'dispute', 'dispute_reversal')) l
   group by reference_id)`;

const totalsAgainstRows = (tx: Tx) =>
  tx.many<LedgerViolation>(sql`
    with held as (
      select top_up_id as id, sum(withdrawn) as withdrawn, sum(greatest(withdrawn, 0)) as disputed
        from dispute group by top_up_id),
    totals as (
      select t.id, t.refunded, t.disputed,
             coalesce(l.refunded, 0) as rows_refunded,
             coalesce(l.withdrawn, 0) as rows_withdrawn,
             coalesce(h.withdrawn, 0) as withdrawn,
             coalesce(h.disputed, 0) as held
        from top_up t
        left join ${taken} l on l.id = t.id
        left join held h on h.id = t.id)
    select 'refunded_is_its_rows' as rule, id as "topUpId",
           refunded || ' micro-USD refunded, but its ledger rows say ' || rows_refunded as detail
      from totals where refunded <> rows_refunded
    union all
    select 'disputed_is_its_rows', id,
           disputed || ' micro-USD disputed, its disputes hold ' || withdrawn
             || ', its ledger rows say ' || rows_withdrawn
      from totals where withdrawn <> rows_withdrawn or disputed <> held
    order by 1, 2 limit ${MOST}`);

// A refund cannot exceed the total ever refunded of its top-up; their sum may, because the bank may
// have sent one back. Its hold must reserve the money for as long as it has no outcome.
const refundsAgainstRows = (tx: Tx) =>
  tx.many<LedgerViolation>(sql`
    select case when h.id is null then 'refund_held_its_money' else 'refund_was_posted' end as rule,
           r.top_up_id as "topUpId",
           'refund ' || r.id || ' of ' || r.amount || ' micro-USD is ' || r.status as detail
      from refund r
      left join hold h on h.idempotency_key = 'refund:' || r.id and h.amount = r.amount
                      and h.status = case when r.status = 'created' then 'open' else 'released' end
      left join ${taken} l on l.id = r.top_up_id
     where h.id is null or (r.status = 'succeeded' and r.amount > coalesce(l.ever_refunded, 0))
     order by r.top_up_id, r.id limit ${MOST}`);

// A row belongs to the account of its top-up, to the account that replaced it after it was closed,
// or then to the payer's own.
const rowsAgainstOrigins = (tx: Tx) =>
  tx.many<LedgerViolation>(sql`
    with recursive ${successors}
    select 'moved_for_its_top_up' as rule, l.account_id as "accountId",
           'row ' || l.version || ' (' || l.kind || ') refers to no top-up of this account: '
             || l.reference_id as detail
      from ledger_transfer l
      left join top_up t on t.id = l.reference_id
      left join line on line.start = t.account_id and line.id = l.account_id
     where l.kind in ('refund', 'refund_reversal', 'dispute', 'dispute_reversal')
       and line.id is null
       and not exists (
         select from billing_account own join billing_account a on a.id = t.account_id
          where own.id = l.account_id and own.user_id = t.user_id and a.status = 'closed')
    union all
    select 'gift_is_audited', l.account_id,
           'row ' || l.version || ' (' || l.kind || ') has no entry in the audit trail: '
             || l.reference_id
      from ledger_transfer l left join audit_event e on e.id = l.reference_id
     where l.kind in ('promotion', 'grant', 'write_off', 'void') and e.id is null
    order by 1, 2, 3 limit ${MOST}`);
