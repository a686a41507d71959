import { account, askedFor, leftUnder, limitIsOn, limits } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Turn } from './claim.ts';

const GOES_ON =
  'What was done so far is kept, and the work goes on by itself when the limit is raised or ' +
  'removed, or when the next month begins (UTC).';

/**
 * Notes in the events of a task that a limit has stopped its turn, in the transaction that pauses
 * it: the limit that leaves least. No amount, because not everyone who reads the events may see the
 * billing. The worker of the turn publishes it; others wait a while, so that they do not take the
 * fence from it meanwhile.
 */
export const noteLimit = (tx: Tx, { taskId, turnId }: Turn): Promise<unknown> =>
  tx.many(sql`
    insert into task_event_outbox (task_id, noted_at, type, payload, not_before)
    select t.id,
           greatest(clock_timestamp(), (select max(o.noted_at) + interval '1 microsecond'
                                          from task_event_outbox o where o.task_id = t.id)),
           'notice',
           json_build_object('text', 'The spend limit of this month for '
             || ${limitIsOn(sql`least_left.subject`)} || ' is reached. ' || ${GOES_ON}),
           now() + interval '3 seconds'
      from task_turn u
      join task t on t.id = u.task_id
      join project p on p.id = t.project_id
      left join lateral (${account}) a on true
      left join lateral (
        select l.subject from spend_limit l
         where l.account_id = a.id and ${limits({
           project: sql`p.id`,
           task: sql`t.id`,
           person: askedFor(sql`u`, sql`t`),
         })}
         order by ${leftUnder(sql`u.id`)}, l.id limit 1) least_left on true
     where u.id = ${turnId} and t.id = ${taskId}`);

/**
 * Notes that what is left does not cover the next call of a model, which may have cost up to `needed`
 * micro-USD: otherwise a cap would seem to stop a turn before it is reached.
 */
export const noteNeed = (tx: Tx, { taskId }: Turn, needed: bigint): Promise<unknown> =>
  tx.many(sql`
    insert into task_event_outbox (task_id, noted_at, type, payload, not_before)
    select ${taskId}::uuid,
           greatest(clock_timestamp(), (select max(o.noted_at) + interval '1 microsecond'
                                          from task_event_outbox o where o.task_id = ${taskId})),
           'notice', json_build_object('text', ${needText(needed)}::text),
           now() + interval '3 seconds'`);

const needText = (needed: bigint) =>
  `The next request to the model may cost ${usd(needed)} USD, which is more than what is left. ` +
  'What was done so far is kept, and the work goes on by itself once that much can be spent.';

/** To the cent, rounded up. */
const usd = (micro: bigint) => (Number((micro + 9_999n) / 10_000n) / 100).toFixed(2);
