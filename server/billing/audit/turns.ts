import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/**
 * The money of turns (tasks.md, section 6). What a turn is said to have cost is the sum of its
 * usage; usage of a turn has that turn, unless its task was deleted; and a hold ends with the turn
 * that it was made for, of whose account it is. The keys that workers write say which turn a hold
 * and a usage event belong to: `turn:<turn>:<attempt>:<slice>` and
 * `turn:<turn>:<attempt>:use:<charge>`.
 */
export const auditTurns = (tx: Tx): Promise<LedgerViolation[]> =>
  tx.many(sql`
    with used as (
      select reference_id as turn_id, sum(amount) as nano
        from usage_event where reference_type = 'task_turn' group by reference_id)

    select 'turn_cost_is_its_usage' as rule, u.account_id as "accountId",
           'turn ' || u.id || ' is said to have cost ' || u.spent_nano
             || ' nano-USD, but its usage is ' || coalesce(used.nano, 0) as detail
      from task_turn u left join used on used.turn_id = u.id
     where u.spent_nano <> coalesce(used.nano, 0)
    union all
    -- The first slice of each attempt is held before anything is charged, and names the task.
    select 'usage_has_its_turn', e.account_id,
           'usage ' || e.idempotency_key || ' of ' || e.amount || ' nano-USD belongs to no turn'
      from usage_event e
      left join task_turn u on u.id = e.reference_id
      left join hold h
        on h.idempotency_key = 'turn:' || e.reference_id || ':'
                               || split_part(e.idempotency_key, ':', 3) || ':1'
      left join task t on t.id = h.reference_id
     where e.reference_type = 'task_turn' and u.id is null and (h.id is null or t.id is not null)
    union all
    select 'hold_ends_with_its_turn', h.account_id,
           'hold ' || h.idempotency_key || ' is open, but its turn is '
             || case when u.id is null then 'gone'
                     when u.state in ('running', 'waiting') then 'paid by another account'
                     else u.state end
      from hold h
      left join task_turn u
        on u.task_id = h.reference_id and u.id::text = split_part(h.idempotency_key, ':', 2)
     where h.status = 'open' and h.reference_type = 'task' and h.idempotency_key like 'turn:%'
       and (u.id is null or u.state not in ('running', 'waiting')
            or u.account_id is distinct from h.account_id)
    order by 1, 2, 3 limit ${MOST}`);
