import type { Logger } from 'pino';
import { hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { CodeHosts, PullOfTask } from './code-host.ts';
import { findReviews } from './find-reviews.ts';
import { refreshPull } from './refresh-pull.ts';

const BATCH = 20;
/** How long nothing is asked of a pull request that no webhook has named. */
const QUIET = '5 minutes';
/** The same while its checks run. */
const PENDING = '20 seconds';

/**
 * Refreshes the pull requests on other hosts that a webhook has named (`looked_at` is null then), and
 * those that were not refreshed for a while: what no webhook has said is found so. Any number of
 * processes may do it. Returns how many it refreshed.
 */
export async function refreshDuePulls(
  db: Database,
  hosts: CodeHosts,
  log: Logger,
): Promise<number> {
  const due = await db.many<PullOfTask & { told: boolean }>(sql`
    with due as materialized (
      select pr.task_id, pr.looked_at is null as told
        from pull_request pr
        join repository r on r.id = pr.repository_id
        join project p on p.id = r.project_id
       where pr.url is not null and (pr.state = 'open' or pr.looked_at is null)
         and ${isConnected} and r.unavailable_reason is null
         and (pr.looked_at is null
              or pr.looked_at < now() - ${QUIET}::interval
              or pr.looked_at < now() - ${PENDING}::interval
                 and exists (select from check_suite s
                              where s.task_id = pr.task_id and s.head_sha = pr.head_sha
                                and s.state <> 'completed'))
       order by pr.looked_at nulls first limit ${BATCH}
         for no key update of pr skip locked)
    update pull_request pr set looked_at = clock_timestamp()
      from due, repository r
     where pr.task_id = due.task_id and r.id = pr.repository_id
    returning pr.task_id as "taskId", pr.number, due.told, ${hostColumns}`);
  // One that cannot be read does not keep the others from it.
  for (const pull of due)
    try {
      const host = hosts.of(pull);
      if (host === undefined) continue;
      const seen = await refreshPull((work) => db.transaction(work), host, pull);
      await findReviews(db, host.reviews, pull, { ...seen, told: pull.told }, log);
    } catch (err) {
      log.warn({ err, task: pull.taskId }, 'a pull request could not be refreshed');
    }
  return due.length;
}
