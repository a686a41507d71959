import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { openPods } from '../server/platform/pods/open-pods.ts';
import { markOfPod, processesOf } from '../server/platform/pods/process/descendants.ts';

/** What was found wrong after a soak; each must be zero. */
export type Found = Record<string, number>;

/** Events that are missing or there twice, and money that is. */
export async function brokenEvents(db: Database): Promise<Found> {
  const row = await db.one<Record<string, bigint>>(sql`
    with logged as (
      select l.task_id, l.last_seq, count(e.seq) as events, coalesce(max(e.seq), 0) as newest
        from task_log l left join task_event e using (task_id)
       group by l.task_id, l.last_seq),
    ended as (
      select u.id, u.state,
             (select count(*) from task_event e
               where e.task_id = u.task_id and e.turn_id = u.id and e.type = 'turn_ended'
                 and e.payload::json->>'state' <> 'interrupted') as told
        from task_turn u),
    repeated as (
      select task_id, turn_id, type,
             coalesce(payload::json->>'attempt', payload::json->>'id') as which, count(*) as times
        from task_event where type in ('turn_started', 'commit', 'request', 'artifact')
       group by 1, 2, 3, 4)
    select (select count(*) from logged where events <> last_seq or newest <> last_seq)
             as logs_with_gaps,
           (select count(*) from ended
             where told <> (state in ('done', 'failed', 'cancelled'))::int) as ends_lost_or_doubled,
           (select count(*) from repeated where times > 1) as events_doubled,
           (select count(*) from task_turn u
             where u.state = 'done' and 1 <> (select count(*) from task_message m
                                where m.turn_id = u.id and m.role = 'agent')) as messages_lost_or_doubled,
           (select count(*) from plan_approval a
             where (select count(*) from task_turn u
                     where u.source = 'plan:' || a.task_id || ':' || a.version)
                   not in (1, case when exists (select from plan_approval newer
                                                 where newer.task_id = a.task_id
                                                   and newer.version > a.version)
                                   then 0 else 1 end))
             as starts_lost_or_doubled,
           (select count(*) from hold where status = 'open') as holds_left,
           (select count(*) from usage_event where settlement_id is null) as usage_unsettled,
           (select count(*) from billing_account where balance < 0 and kind <> 'system') as debts`);
  return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)]));
}

/** Processes of any pod that still run. */
export async function countOrphans(directory: string): Promise<number> {
  const pods = await openPods({ driver: 'process', directory, sandbox: 'preferred' });
  const all = await Promise.all((await pods.list()).map(({ id }) => processesOf(markOfPod(id))));
  await pods.close();
  return all.flat().length;
}

/** The dearest call of a model that the messages of a soak lead to, in nano-USD. */
const DEAREST_CALL = 90_000_000n;
const NANO_IN_CENT = 10_000_000n;

/** Workspaces that have spent more than one call beyond the highest limit they ever had. */
export async function exceededLimits(
  db: Database,
  places: readonly { workspace: string; limit: number }[],
): Promise<number> {
  const rows = await db.many<{ id: string; spent: bigint }>(sql`
    select a.organization_id as id, coalesce(sum(e.amount), 0)::bigint as spent
      from billing_account a join usage_event e on e.account_id = a.id
     where a.organization_id is not null
     group by a.organization_id`);
  const limitOf = new Map(places.map(({ workspace, limit }) => [workspace, limit]));
  return rows.filter(({ id, spent }) => {
    const limit = limitOf.get(id);
    return limit !== undefined && spent > BigInt(limit) * NANO_IN_CENT + DEAREST_CALL;
  }).length;
}
