import type { Logger } from 'pino';
import { onBehalfOf } from '../../access/on-behalf-of.ts';
import { onProject } from '../../access/project.ts';
import type { Database, Tx } from '../../db/database/database.ts';
import { DatabaseUnavailable } from '../../db/database/errors.ts';
import { sql } from '../../db/sql.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import { begunTask } from '../begin-task.ts';
import { isOffered } from '../model-offered.ts';
import { countFailure } from './count-failure.ts';
import { filledIn, type StartsBy } from './message-fields.ts';
import { pauseRoutine } from './pause-routine.ts';

/** Runs that one poll begins. */
const MOST = 100;

interface Waiting {
  run: string;
  started_by: StartsBy | 'person';
  fields: Record<string, string>;
  routine: string;
  project_id: string;
  message: string;
  title: string | null;
  model: string | null;
  spend_cap: string | null;
  user_id: string;
  starts_by: StartsBy;
  time_zone: string | null;
  enabled: boolean;
  per_hour: number;
  at_once: number;
  now: Date;
}

/**
 * Begins what waits, each in a transaction that also decides whether it may: so a run begins one task
 * or none, also when a process dies. Any number of processes may do so; a project that someone
 * has locked is left to the next poll. Returns how many were looked at.
 */
export async function beginRuns(
  db: Pick<Database, 'transaction'>,
  { catalog, log }: { catalog: Catalog; log: Logger },
): Promise<{ looked: number; begun: number }> {
  let begun = 0;
  for (let looked = 0; looked < MOST; looked++) {
    const outcome = await beginNext(db, { catalog, log });
    if (outcome === undefined) return { looked, begun };
    if (outcome === 'begun') begun++;
  }
  return { looked: MOST, begun };
}

async function beginNext(
  db: Pick<Database, 'transaction'>,
  { catalog, log }: { catalog: Catalog; log: Logger },
): Promise<Outcome | undefined> {
  let looking: Waiting | undefined;
  try {
    return await db.transaction(async (tx) => {
      looking = await tx.maybeOne<Waiting>(next);
      return looking === undefined ? undefined : await begin(tx, looking, catalog);
    });
  } catch (err) {
    const { run, routine } = looking ?? {};
    if (run === undefined || routine === undefined || err instanceof DatabaseUnavailable) throw err;
    // It would fail again each time, and no other would begin.
    log.error({ err, routine, run }, 'a run of a routine could not be begun');
    return db.transaction((tx) => fail(tx, { run, routine }, 'internal_error'));
  }
}

// All that a run depends on is locked at once, without waiting: its project first, as everywhere.
const next = sql`
  select run.id as run, run.started_by, run.fields, r.id as routine, r.project_id, r.message, r.title,
         r.model, r.spend_cap::text as spend_cap, r.on_behalf_of_user_id as user_id, r.starts_by,
         r.time_zone, r.enabled, r.per_hour, r.at_once, now() as now
    from routine_run run
    join routine r on r.id = run.routine_id
    join project p on p.id = r.project_id
   where run.state = 'waiting'
   order by run.created_at limit 1
     for share of p skip locked for update of run, r skip locked`;

type Outcome = 'begun' | 'skipped' | 'failed';

async function begin(tx: Tx, waiting: Waiting, catalog: Catalog): Promise<Outcome> {
  const { run, routine, enabled, started_by } = waiting;
  if (!enabled && started_by !== 'person') return end(tx, run, 'skipped', 'paused');
  const beyond = await beyondLimits(tx, waiting);
  if (beyond !== undefined) return end(tx, run, 'skipped', beyond);
  if (!isOffered(catalog, waiting.model)) return fail(tx, waiting, 'model_not_offered');
  const { fields, now, starts_by, time_zone } = waiting;
  const message = filledIn(waiting.message, starts_by, fields, now, time_zone ?? 'UTC');
  // As of a routine whose message is one field, and which a person runs without it.
  if (message.trim() === '') return fail(tx, waiting, 'message_empty');
  const { allowed, open, task_id } = await beginTask(tx, waiting, message);
  if (!allowed) {
    await pauseRoutine(tx, routine, 'right_ended');
    return end(tx, run, 'failed', 'right_ended');
  }
  if (!open || task_id === null) return end(tx, run, 'skipped', 'project_archived');
  await tx.many(sql`
    update routine_run set state = 'begun', begun_at = now(), task_id = ${task_id}, fields = '{}'
     where id = ${run}`);
  return 'begun';
}

// A statement of its own, which sees what others have begun before the routine was locked.
async function beyondLimits(
  tx: Tx,
  { routine, per_hour, at_once }: Waiting,
): Promise<'too_many_at_once' | 'too_many_this_hour' | undefined> {
  const { at_work, this_hour } = await tx.one<{ at_work: number; this_hour: number }>(sql`
    select count(*) filter (where state = 'begun')::int as at_work,
           count(*) filter (where begun_at > now() - interval '1 hour')::int as this_hour
      from routine_run where routine_id = ${routine}`);
  if (at_work >= at_once) return 'too_many_at_once';
  return this_hour >= per_hour ? 'too_many_this_hour' : undefined;
}

// What was sent is forgotten once it is in a message, or in none: who calls again and again would
// otherwise fill the table.
async function end(
  tx: Tx,
  run: string,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<Outcome> {
  await tx.many(sql`
    update routine_run set state = ${state}, reason = ${reason}, ended_at = now(), fields = '{}'
     where id = ${run}`);
  return state;
}

/** A failure that counts towards the pause of the routine. */
async function fail(
  tx: Tx,
  { run, routine }: Pick<Waiting, 'run' | 'routine'>,
  reason: string,
): Promise<Outcome> {
  await countFailure(tx, routine);
  return end(tx, run, 'failed', reason);
}

/** What create_task does, by the rights that its user has now. */
const beginTask = (
  tx: Tx,
  { run, routine, project_id, user_id, title, model, spend_cap }: Waiting,
  message: string,
): Promise<{ allowed: boolean; open: boolean; task_id: string | null }> => {
  const access = onProject('create_task').sql({ params: { project_id } }, false);
  return tx.one(sql`
    with ${onBehalfOf(user_id)}, ${access},
    authorized as materialized (
      select access.* from access cross join caller
       where access.denied_because is null
         and (caller.scope is null or caller.scope = access.organization_id)),
    ${begunTask(
      {
        message,
        attachment_ids: [],
        title: title ?? undefined,
        model: model ?? undefined,
        spend_cap: spend_cap === null ? undefined : BigInt(spend_cap),
        routine_id: routine,
      },
      `routine:${run}`,
    )}
    select exists (select from authorized) as allowed,
           coalesce((select place.open from place), false) as open,
           (select (changed.row).id from changed) as task_id`);
};
