import type { Database } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { waitsForDump } from '../../../erp/index.ts';

/** The rows of instances, as the workers that keep them change them. */

/** An instance that this worker has just taken, to start or to remove it. */
export interface TakenInstance {
  id: string;
  taskId: string;
  state: 'starting' | 'stopping';
  erpVersion: string;
  edition: string;
  database: string;
  /** How often its start was begun. */
  attempt: number;
  /** It was ready before, so its data must be there. */
  wasReady: boolean;
  /** What a person has asked for. */
  asked: 'restart' | 'reset' | null;
}

interface Keeper {
  /** Names this worker among all, once. */
  owner: string;
  driver: string;
  /** Milliseconds. */
  lease: number;
}

const ms = (milliseconds: number): Sql => sql`${milliseconds}::bigint * interval '1 millisecond'`;

/**
 * Takes what no worker has: what is to be started or removed, and what runs although its worker is
 * gone, which is then to be started again. Of its own, what is to be removed; not what it is `busy`
 * with.
 */
export const take = (db: Database, keeper: Keeper, busy: readonly string[]) =>
  db.many<TakenInstance>(sql`
    with due as materialized (
      select id from erp_instance
       where state in ('starting', 'running', 'stopping') and driver = ${keeper.driver}
         and not (state = 'starting' and ${waitsForDump(sql`erp_instance`)})
         and not_before <= now() and id <> all(${busy}::uuid[])
         and (lease_until is null or lease_until < now()
              or owner = ${keeper.owner} and state = 'stopping')
       order by not_before, id limit 10 for no key update skip locked)
    update erp_instance i
       set owner = ${keeper.owner}, lease_until = now() + ${ms(keeper.lease)},
           attempt = i.attempt + 1,
           state = case i.state when 'running' then 'starting' else i.state end
      from due where i.id = due.id
    returning i.id, i.task_id as "taskId", i.state, i.erp_version as "erpVersion", i.edition,
              i.database_name as database, i.attempt, i.asked,
              i.ready_at is not null as "wasReady"`);

/** Keeps what this worker has. Returns the ids and states of what it still has. */
export const renew = (db: Database, { owner, lease }: Keeper, ids: readonly string[]) =>
  db.many<{ id: string; state: string }>(sql`
    update erp_instance set lease_until = now() + ${ms(lease)}
     where id = any(${ids}::uuid[]) and owner = ${owner}
    returning id, state`);

/** What became of instances: a worker reads this of its own. */
export const statesOf = (db: Pick<Database, 'read'>, owner: string, ids: readonly string[]) =>
  db.read<{ id: string; state: string; mine: boolean }>(sql`
    select id, state, owner is not distinct from ${owner} as mine
      from erp_instance where id = any(${ids}::uuid[])`);

/** Whether it is running now: not if it was to be removed meanwhile, or belongs to another. */
export const running = async (
  db: Database,
  owner: string,
  id: string,
  {
    url,
    entry,
    idle,
    ran = {},
  }: {
    url: string | undefined;
    entry?: string | undefined;
    idle: number;
    ran?: Ran | undefined;
  },
): Promise<boolean> => {
  const { offered = null, commit = null, broken = null, problem = null, data = null } = ran;
  const rows = await db.many(sql`
    with before as (
      select id, commit_sha, broken_sha, problem from erp_instance where id = ${id}),
    ready as (
      update erp_instance
         set state = 'running', ready_at = now(), attempt = 0, asked = null,
             url = ${url ?? null}, entry_url = ${entry ?? null},
             expires_at = greatest(expires_at, now() + ${ms(idle)}), offered_sha = ${offered},
             commit_sha = ${commit}, broken_sha = ${broken}, problem = ${problem}, data = ${data}
       where id = ${id} and owner = ${owner} and state = 'starting'
      returning id, task_id, commit_sha, broken_sha, problem)
    select ready.id, case
             when (ready.commit_sha, ready.broken_sha, ready.problem)
                  is distinct from (before.commit_sha, before.broken_sha, before.problem)
             then note_task_event(ready.task_id, 'notice', json_build_object(
               'text', ${textOf(ran)}::text, 'odoo_instance_id', ready.id)) end
      from ready join before using (id)`);
  return rows.length > 0;
};

/** What an instance runs of the repository. */
export interface Ran {
  /** The commit that it was started with. */
  offered?: string;
  /** The commit whose modules it has. */
  commit?: string;
  /** The commit whose modules could not be installed. */
  broken?: string;
  problem?: string;
  /** What its database began with. */
  data?: 'empty' | 'demo' | 'dump';
}

/** Characters of a problem that an event has. */
const MOST_TOLD = 4_000;

function textOf({ commit, broken, problem }: Ran): string {
  const short = (sha: string) => sha.slice(0, 12);
  if (broken !== undefined)
    return (
      `The throwaway Odoo could not install the modules of commit ${short(broken)}` +
      `${commit === undefined ? '' : `, and still runs ${short(commit)}`}. The end of what it ` +
      `said:\n\n${problem?.slice(-MOST_TOLD)}`
    );
  if (problem !== undefined) return `The throwaway Odoo runs nothing of the branch: ${problem}`;
  return commit === undefined
    ? 'The throwaway Odoo runs nothing of the branch any more.'
    : `The throwaway Odoo runs the modules of commit ${short(commit)}.`;
}

/** What those of this worker that run were started with. */
export const offeredOf = (db: Pick<Database, 'read'>, owner: string, ids: readonly string[]) =>
  db.read<{ id: string; taskId: string; offered: string | null }>(sql`
    select id, task_id as "taskId", offered_sha as offered from erp_instance
     where id = any(${ids}::uuid[]) and owner = ${owner} and state = 'running'`);

/** It is started again, by any worker: its branch has moved. */
export const moved = (db: Database, owner: string, id: string) =>
  db.many(sql`
    update erp_instance
       set state = 'starting', not_before = now(), attempt = 0, owner = null, lease_until = null
     where id = ${id} and owner = ${owner} and state = 'running'
    returning id`);

/** What is left of it is removed later. */
export const failed = (db: Database, owner: string, id: string, reason: string) =>
  db.many(sql`
    update erp_instance
       set state = 'failed', reason = ${reason.slice(0, 500)}, not_before = now(), url = null,
           owner = null, lease_until = null
     where id = ${id} and owner = ${owner} and state in ('starting', 'running')
    returning id`);

/** It is tried again after a while, by any worker. */
export const postponed = (db: Database, owner: string, id: string, after: number) =>
  db.many(sql`
    update erp_instance
       set not_before = now() + ${ms(after)}, owner = null, lease_until = null
     where id = ${id} and owner = ${owner}
    returning id`);

/** What it has printed and wanted to send goes with it. */
export const ended = (db: Database, owner: string, id: string) =>
  db.many(sql`
    with gone as (
      update erp_instance
         set state = 'ended', cleared_at = now(), url = null, entry_url = null, owner = null,
             lease_until = null
       where id = ${id} and owner = ${owner} and state = 'stopping'
      returning id),
    logs as (delete from erp_instance_log where instance_id in (select id from gone)),
    mails as (delete from erp_instance_mail where instance_id in (select id from gone)),
    visits as (delete from erp_instance_visit where instance_id in (select id from gone))
    select id from gone`);

/**
 * Leaves all that this worker has to others, at once. What has ended with it is to be started again,
 * and is not counted until then.
 */
export const leave = (db: Database, owner: string) =>
  db.many(sql`
    update erp_instance
       set owner = null, lease_until = null, attempt = 0,
           state = case when state = 'running' then 'starting' else state end
     where owner = ${owner} and state in ('starting', 'running', 'stopping')
    returning id`);
