import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { PASSING } from '../repositories/check-states.ts';
import type { CodeHost, HostCheck, HostPull, PullOfTask } from './code-host.ts';

/**
 * How a pull request stands on its host, written into the rows that people read. Webhooks, the poll
 * and our own changes only say that something may have changed: what it is, the host is asked, so
 * neither their order nor their number makes a difference.
 */

/** How often, and after how many milliseconds, the host is asked again whether it can be merged. */
const MERGEABLE_AFTER = [300, 700, 1_500];
/** Checks begin a moment after a push: so long, a commit without any waits for them. */
const CHECKS_BEGIN_WITHIN = '30 seconds';

/** Refreshes a pull request; `run` runs a transaction. Returns what the host has. Throws a HostError. */
export async function refreshPull(run: Run, host: CodeHost, pull: PullOfTask): Promise<HostPull> {
  const seen = await settledPull(host, pull);
  const checks = await host.readChecks(pull, seen.headSha);
  await run((tx) => write(tx, pull.taskId, seen, checks));
  return seen;
}

type Run = (work: (tx: Tx) => Promise<void>) => Promise<void>;

/** Waits a while for the host to compute whether it can be merged. */
async function settledPull(host: CodeHost, pull: PullOfTask): Promise<HostPull> {
  for (const delay of MERGEABLE_AFTER) {
    const seen = await host.readPull(pull, pull.number);
    if (seen.state !== 'open' || seen.mergeable !== null) return seen;
    await pause(delay);
  }
  return host.readPull(pull, pull.number);
}

/** Of two at once, the one that writes later counts: the next refresh mends it. */
async function write(
  tx: Tx,
  taskId: string,
  pull: HostPull,
  checks: readonly HostCheck[],
): Promise<void> {
  await tx.many(sql`
    update pull_request pr
       set state = ${pull.state}, base = ${pull.base}, url = ${pull.url},
           head_sha = ${pull.headSha}, base_sha = ${pull.baseSha},
           mergeable = ${pull.mergeable}, looked_at = clock_timestamp(),
           -- What was written while it was closed is for nobody.
           reviews_known_until = case when pr.state <> 'open' and ${pull.state} = 'open'
                                      then greatest(pr.reviews_known_until, ${pull.updatedAt})
                                      else pr.reviews_known_until end,
           pushed_at = case when pr.head_sha <> ${pull.headSha} then clock_timestamp()
                            else pr.pushed_at end,
           updated_at = case when (pr.state, pr.base, pr.head_sha) is distinct from
                                  (${pull.state}, ${pull.base}, ${pull.headSha})
                             then clock_timestamp() else pr.updated_at end
     where task_id = ${taskId}`);
  const { id, waited } = await tx.one<{ id: string; waited: boolean }>(sql`
    insert into check_suite as s (task_id, head_sha, state)
    values (${taskId}, ${pull.headSha}, 'running')
    on conflict (task_id, head_sha) do update set head_sha = excluded.head_sha
    returning id, created_at < now() - ${CHECKS_BEGIN_WITHIN}::interval as waited`);
  await tx.many(sql`
    with seen as materialized (${rows(checks)}),
    gone as (
      delete from check_run r
       where r.suite_id = ${id} and not exists (select from seen where ${isSame})),
    changed as (
      update check_run r
         set state = seen.state, conclusion = seen.conclusion, details_url = seen.url,
             started_at = seen."startedAt", completed_at = seen."completedAt"
        from seen where r.suite_id = ${id} and ${isSame}),
    known as (
      select r.* from check_run r where r.suite_id = ${id})
    insert into check_run (suite_id, position, name, host_check_id, details_url, state, conclusion,
                           started_at, completed_at)
    select ${id}, (select coalesce(max(position), 0) from known) + row_number() over (), seen.name,
           seen.id, seen.url, seen.state, seen.conclusion, seen."startedAt", seen."completedAt"
      from seen
     where not exists (select from known r where ${isSame})`);
  // After its checks, so that the events of the task end with what they come to.
  const { state, conclusion } = suiteOf(checks, waited);
  await tx.many(sql`
    update check_suite
       set state = ${state}, conclusion = ${conclusion},
           ended_at = case when ${conclusion}::text is not null then now() end
     where id = ${id} and (state, conclusion) is distinct from (${state}, ${conclusion}::text)`);
}

/** SQL: whether `seen` is the check `r`. A status has no id, but its name is given once. */
const isSame = sql`
  (r.host_check_id = seen.id
   or r.host_check_id is null and seen.id is null and r.name = seen.name)`;

const rows = (checks: readonly HostCheck[]) => sql`
  select c.* from jsonb_to_recordset(${JSON.stringify(checks)}::jsonb)
    as c (id bigint, name text, state text, conclusion text, url text,
          "startedAt" timestamptz, "completedAt" timestamptz)`;

/** What its checks say of a commit. `waited`: they have had the time to begin. */
function suiteOf(
  checks: readonly HostCheck[],
  waited: boolean,
): { state: 'running' | 'completed'; conclusion: 'none' | 'passed' | 'failed' | null } {
  if (checks.length === 0 && waited) return { state: 'completed', conclusion: 'none' };
  if (checks.length === 0 || checks.some(({ state }) => state !== 'completed'))
    return { state: 'running', conclusion: null };
  const passed = checks.every(({ conclusion }) => PASSING.includes(conclusion));
  return { state: 'completed', conclusion: passed ? 'passed' : 'failed' };
}
