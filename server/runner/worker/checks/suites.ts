import { randomUUID } from 'node:crypto';
import { type BuildCheck, hasPassed } from '../../../code/index.ts';
import type { Database, Tx } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import type { FailedTest } from '../../../erp/index.ts';
import type { CommandEnd } from '../commands/run-command.ts';

/** A suite of checks that this process has claimed, as the next one that runs. */
export interface Suite {
  id: string;
  taskId: string;
  projectId: string;
  head: string;
  /** Counted from 1; one more than may be is only to be ended. */
  attempt: number;
  /** Names the claim. */
  by: string;
  /** The pod of the worker before, which may still run. */
  formerPod: string | null;
}

export interface Run {
  id: string;
  /** `odoo`: the tests of Odoo modules, where the command is the value of `--test-tags`. */
  kind: 'shell' | 'odoo';
  command: string;
  timeoutMinutes: number;
}

/** A check of a commit that is to be run. */
export interface CheckToRun extends BuildCheck {
  kind?: Run['kind'];
}

/** Another worker has the suite now, its branch has moved, or it was deleted. */
export class LostSuite extends Error {
  constructor(id: string) {
    super(`This worker does not have the checks ${id} any more.`);
  }
}

/** SQL: whether a suite `s` waits for a worker, also for another one. */
export const isClaimable = sql`
  (s.state = 'queued' or s.state = 'running' and s.held_until < now())`;

/**
 * Claims the suite that has waited longest, for `lease` milliseconds; undefined if none is due. One
 * of a project that has no other one at work comes first.
 */
export async function claimSuite(db: Database, lease: number): Promise<Suite | undefined> {
  const by = randomUUID();
  const [suite] = await db.many<Suite>(sql`
    with due as materialized (
      select s.id, s.pod_id, t.project_id
        from check_suite s
        join pull_request pr on pr.task_id = s.task_id
        join repository r on r.id = pr.repository_id and r.host = 'local'
        join task t on t.id = s.task_id
       where ${isClaimable}
       order by exists (select from check_suite other
                          join task o on o.id = other.task_id and o.project_id = t.project_id
                         where other.state = 'running' and other.held_until > now()),
                s.created_at, s.id
       limit 1 for update of s skip locked)
    update check_suite s
       set state = 'running', attempts = s.attempts + 1, held_by = ${by}, pod_id = null,
           held_until = now() + ${lease}::integer * interval '1 millisecond'
      from due where s.id = due.id
    returning s.id, s.task_id as "taskId", due.project_id as "projectId", s.head_sha as head,
              s.attempts as attempt, s.held_by as by, due.pod_id as "formerPod"`);
  return suite;
}

/** SQL: the suite of a claim that still holds, locked, as one row `id`; otherwise none. */
const owned = ({ id, by }: Suite): Sql => sql`
  select id from check_suite where id = ${id} and held_by = ${by} and state = 'running'
     for no key update`;

/** Changes that read from `owned`, as common table expressions. Throws LostSuite. */
async function save(db: Pick<Tx, 'many'>, suite: Suite, changes: Sql): Promise<void> {
  await saved(db, suite, changes, sql`null`);
}

/** The same; returns the value of `result`. */
async function saved<Result>(
  db: Pick<Tx, 'many'>,
  suite: Suite,
  changes: Sql,
  result: Sql,
): Promise<Result> {
  const [row] = await db.many<{ result: Result }>(sql`
    with owned as materialized (${owned(suite)}),
    ${changes}
    select ${result} as result from owned`);
  if (row === undefined) throw new LostSuite(suite.id);
  return row.result;
}

/** Keeps the suite for as long again. Throws LostSuite. */
export const renewSuite = (db: Database, suite: Suite, lease: number): Promise<void> =>
  save(
    db,
    suite,
    sql`renewed as (
          update check_suite s
             set held_until = now() + ${lease}::integer * interval '1 millisecond'
            from owned where s.id = owned.id)`,
  );

/**
 * Leaves the suite to others: after `delay` milliseconds if the attempt has failed, otherwise at
 * once, and the attempt does not count. Nothing happens when it was lost.
 */
export const leaveSuite = (db: Database, { id, by }: Suite, delay?: number): Promise<unknown> =>
  db.many(sql`
    update check_suite
       set held_until = now() + ${delay ?? 0}::integer * interval '1 millisecond',
           attempts = attempts - ${delay === undefined ? 1 : 0}::integer
     where id = ${id} and held_by = ${by} and state = 'running'`);

/** The checks of the suite that have not ended, in their order; undefined before they are known. */
export async function runsOf(db: Database, { id }: Suite): Promise<Run[] | undefined> {
  const runs = await db.many<Run & { ended: boolean }>(sql`
    select id, kind, command, timeout_minutes as "timeoutMinutes", state = 'completed' as ended
      from check_run where suite_id = ${id} order by position`);
  return runs.length === 0 ? undefined : runs.filter(({ ended }) => !ended);
}

/** Gives a suite its checks. Throws LostSuite. */
export const addRuns = (db: Database, suite: Suite, checks: readonly CheckToRun[]): Promise<void> =>
  save(
    db,
    suite,
    sql`added as (
          insert into check_run (suite_id, position, name, kind, command, timeout_minutes)
          select owned.id, c.position, c.name, c.kind, c.command, c.minutes
            from owned
           cross join unnest(${checks.map(({ name }) => name)}::text[],
                             ${checks.map(({ kind = 'shell' }) => kind)}::text[],
                             ${checks.map(({ run }) => run)}::text[],
                             ${checks.map(({ timeoutMinutes }) => timeoutMinutes)}::integer[])
                 with ordinality c (name, kind, command, minutes, position))`,
  );

/** Gives a suite without checks one that has failed, for people to read why. Throws LostSuite. */
export const addFault = (
  db: Database,
  suite: Suite,
  { name, fault }: { name: string; fault: string },
): Promise<void> =>
  save(
    db,
    suite,
    sql`failed as (
          insert into check_run (suite_id, position, name, state, conclusion, started_at,
                                 completed_at)
          select id, 1, ${name}, 'completed', 'failure', now(), now() from owned
          returning id),
        logged as (
          insert into check_log (check_id, content) select id, ${fault} from failed)`,
  );

/** Notes that a check begins, in a pod of this id. Throws LostSuite. */
export const beginRun = (db: Database, suite: Suite, run: Run, podId: string): Promise<void> =>
  save(
    db,
    suite,
    sql`placed as (
          update check_suite s set pod_id = ${podId} from owned where s.id = owned.id),
        begun as (
          update check_run c
             set state = 'in_progress', started_at = clock_timestamp()
            from owned where c.id = ${run.id} and c.suite_id = owned.id)`,
  );

/** Stores the log of a check so far. Throws LostSuite. */
export const storeLog = (db: Database, suite: Suite, run: Run, log: string): Promise<void> =>
  save(
    db,
    suite,
    sql`logged as (
          insert into check_log as l (check_id, content)
          select ${run.id}::uuid, ${log}::text from owned
          on conflict (check_id) do update set content = excluded.content, updated_at = now())`,
  );

/** `failures`: the tests that have failed, where the log tells. */
export interface CheckEnd extends CommandEnd {
  failures?: readonly FailedTest[];
}

/** Ends a check. Throws LostSuite. */
export const endRun = (
  db: Database,
  suite: Suite,
  run: Run,
  { conclusion, log, failures }: CheckEnd,
): Promise<void> =>
  save(
    db,
    suite,
    sql`ended as (
          update check_run c
             set state = 'completed', conclusion = ${conclusion}, completed_at = clock_timestamp(),
                 failures = ${failures === undefined ? null : JSON.stringify(failures)}::jsonb,
                 started_at = coalesce(c.started_at, clock_timestamp())
            from owned where c.id = ${run.id} and c.suite_id = owned.id),
        logged as (
          insert into check_log as l (check_id, content)
          select ${run.id}::uuid, ${log}::text from owned
          on conflict (check_id) do update set content = excluded.content, updated_at = now())`,
  );

/** Ends a suite, all of whose checks have ended. Returns its conclusion. Throws LostSuite. */
export const endSuite = (db: Database, suite: Suite): Promise<string> =>
  saved(
    db,
    suite,
    sql`ended as (
          update check_suite s
             set state = 'completed', ended_at = now(), held_by = null, held_until = null,
                 pod_id = null,
                 conclusion = case
                   when not exists (select from check_run c where c.suite_id = s.id) then 'none'
                   when exists (select from check_run c
                                 where c.suite_id = s.id
                                   and not ${hasPassed(sql`c`)}) then 'failed'
                   else 'passed' end
            from owned where s.id = owned.id
          returning s.conclusion)`,
    sql`(select conclusion from ended)`,
  );
