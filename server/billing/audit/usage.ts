import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/**
 * The sums by day against the events that they are of, for each combination of what usage is
 * grouped by. With `settlement_is_its_events` this makes them what was charged and what is pending,
 * to the nano-USD.
 */
export const auditUsage = (tx: Tx): Promise<LedgerViolation[]> =>
  tx.many(sql`
    with difference as (
      select account_id, day, task_id, sum(amount) as amount
        from (
          select account_id, day, kind, task_id, project_id, organization_id, user_id, model,
                 amount, input_tokens, output_tokens, pod_seconds, events
            from usage_day
          union all
          select account_id, (occurred_at at time zone 'UTC')::date, kind, task_id, project_id,
                 organization_id, user_id, model, -amount, -coalesce(input_tokens, 0),
                 -coalesce(output_tokens, 0), -coalesce(pod_seconds, 0), -1
            from usage_event) line
       group by account_id, day, kind, task_id, project_id, organization_id, user_id, model
      having sum(amount) <> 0 or sum(input_tokens) <> 0 or sum(output_tokens) <> 0
             or sum(pod_seconds) <> 0 or sum(events) <> 0)
    select 'usage_day_is_its_events' as rule, account_id as "accountId",
           'the sums of ' || day || coalesce(' of task ' || task_id, '')
             || ' are not those of its events: ' || amount || ' nano-USD too much' as detail
      from difference order by 1, 2, 3 limit ${MOST}`);
