import type { Logger } from 'pino';
import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { GitHub } from './app.ts';
import { type HostDeploy, readDeploys } from './deployments.ts';

const BATCH = 20;
/** How long the deployments of a merge commit are polled, and how often: a deployment begins soon or not at all. */
const FOR = '1 day';
const SOON = '1 hour';
const OFTEN = '30 seconds';
const SELDOM = '10 minutes';

interface Merged extends HostedRepository {
  id: string;
  commit: string;
}

/**
 * Polls how the commits that tasks were merged with are deployed on GitHub: by its deployments, and
 * by commit statuses that are about one. Any number of processes may do it. Returns how many merges
 * it polled.
 */
export async function refreshDeploys(db: Database, github: GitHub, log: Logger): Promise<number> {
  const due = await db.many<Merged>(sql`
    with due as materialized (
      select m.id
        from merge m
        join pull_request pr on pr.task_id = m.task_id
        join repository r on r.id = pr.repository_id
        join project p on p.id = r.project_id
       where m.state = 'merged' and m.ended_at > now() - ${FOR}::interval
         and r.host = 'github' and ${isConnected} and r.unavailable_reason is null
         and (m.looked_at is null
              or m.looked_at < now() - case when m.ended_at > now() - ${SOON}::interval
                                            then ${OFTEN}::interval else ${SELDOM}::interval end)
       order by m.looked_at nulls first limit ${BATCH}
         for no key update of m skip locked)
    update merge m set looked_at = now()
      from due, pull_request pr, repository r
     where m.id = due.id and pr.task_id = m.task_id and r.id = pr.repository_id
    returning m.id, m.merge_commit_sha as commit, ${hostColumns}`);
  for (const { id, commit, ...repository } of due)
    try {
      const found = await readDeploys(github, repository, commit);
      if (found.length > 0) await db.many(written(id, found));
    } catch (err) {
      log.warn({ err, merge: id }, 'the deployments of a merge could not be read');
    }
  return due.length;
}

// Of several of one merge, the first one leads to it. The stage is that of the branch where its name
// says nothing.
const written = (mergeId: string, found: readonly HostDeploy[]) => sql`
  with merged as materialized (
    select m.id, m.branch, m.stage, m.merge_commit_sha, r.id as repository_id, r.project_id
      from merge m
      join pull_request pr on pr.task_id = m.task_id
      join repository r on r.id = pr.repository_id
     where m.id = ${mergeId}),
  seen as materialized (
    select row_number() over () as position, s.*
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
             as s (id bigint, context text, stage text, state text, reason text, url text,
                   "createdAt" timestamptz, "endedAt" timestamptz)),
  changed as (
    update deploy d
       set state = seen.state, reason = seen.reason, url = seen.url, ended_at = seen."endedAt",
           started_at = coalesce(d.started_at, case when seen.state <> 'queued' then now() end)
      from seen, merged
     where ${isSame})
  insert into deploy
         (project_id, repository_id, merge_id, branch, stage, commit_sha, host_deployment_id,
          host_context, state, reason, url, created_at, started_at, ended_at)
  select m.project_id, m.repository_id,
         case when seen.position = 1
               and not exists (select from deploy other where other.merge_id = m.id) then m.id end,
         m.branch, coalesce(seen.stage, m.stage), m.merge_commit_sha, seen.id, seen.context,
         seen.state, seen.reason, seen.url, seen."createdAt",
         case when seen.state <> 'queued' then seen."createdAt" end, seen."endedAt"
    from seen cross join merged m
   where not exists (select from deploy d, merged where ${isSame})`;

/** SQL: whether `seen`, of the commit of `merged`, is the deploy `d`. */
const isSame = sql`
  (d.repository_id = merged.repository_id
   and (d.host_deployment_id = seen.id
        or d.host_context = seen.context and d.commit_sha = merged.merge_commit_sha))`;
