import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/**
 * Holds, usage and debts against the rows of the ledger. An account's held amount is the sum of its
 * open holds, and an account in debt is frozen. Every charge is a captured hold or a settlement,
 * and every one of those is charged once. A settlement is the sum of its events, and begins with
 * what the settlement before it carried over.
 */
export const auditSpending = (tx: Tx): Promise<LedgerViolation[]> =>
  tx.many(sql`
    with used as (
      select 'hold:' || id || ':capture' as key, account_id, captured as amount
        from hold where status = 'captured'
      union all
      select 'usage:' || id, account_id, micro from usage_settlement where micro > 0),
    posted as (
      select * from ledger_transfer
       where idempotency_key like 'hold:%' or idempotency_key like 'usage:%'),
    charged as (
      select coalesce(u.key, l.idempotency_key) as key,
             coalesce(u.account_id, l.account_id) as account_id,
             u.key is not null and l.amount = u.amount
               and l.kind = 'usage' and l.account_id = l.debit_account_id
               and (l.account_id = u.account_id or exists (
                     select from billing_account a
                      where a.id = u.account_id and a.status = 'closed')) as right
        from used u full join posted l on l.idempotency_key = u.key),
    held as (
      select account_id, sum(amount) as amount from hold where status = 'open' group by account_id),
    settled as (
      select settlement_id as id, min(account_id::text)::uuid as account_id,
             count(*) as events, sum(amount) as nano
        from usage_event where settlement_id is not null group by settlement_id),
    chained as (
      select *,
             number = 1 + coalesce(lag(number) over line, 0)
               and carried_in = coalesce(lag(carried_out) over line, 0)
               and carried_in + total_nano = micro * 1000 + carried_out
               and carried_out between 0 and 999 as right
        from usage_settlement window line as (partition by account_id order by number))

    select 'held_is_open_holds' as rule, a.id as "accountId",
           a.held || ' micro-USD held, but its open holds are ' || coalesce(h.amount, 0) as detail
      from billing_account a left join held h on h.account_id = a.id
     where a.held <> coalesce(h.amount, 0)
    union all
    select 'debt_is_frozen', id, 'owes ' || -balance || ' micro-USD and is ' || status
      from billing_account where balance < 0 and status <> 'frozen'
    union all
    select 'one_charge_a_use', account_id, key || ' is not one use and one ledger row that agree'
      from charged where "right" is not true
    union all
    select 'settlement_is_its_events', coalesce(s.account_id, e.account_id),
           'settlement ' || coalesce(s.id, e.id) || ' is ' || coalesce(s.total_nano, 0)
             || ' nano-USD, its events ' || coalesce(e.nano, 0)
      from usage_settlement s full join settled e on e.id = s.id
     where (s.events, s.total_nano, s.account_id)
           is distinct from (e.events, e.nano, e.account_id)
    union all
    select 'carries_follow_each_other', account_id,
           'settlement ' || number || ' does not continue the one before it'
      from chained where not "right"
    order by 1, 2, 3 limit ${MOST}`);
