import type { Logger } from 'pino';
import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import {
  type CodeHosts,
  HostError,
  type MergedRange,
  type MergeOrder,
  MergeRefused,
  type Merging,
} from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { CodeObserver } from './code-metrics.ts';

/** How long others leave a merge alone that a worker has begun with, in milliseconds. */
const BEGUN_MS = 60_000;
const MOST_ATTEMPTS = 5;
const BATCH = 10;

/**
 * Carries out the merges that people have asked for. Any number of processes may do so, and die
 * while they do: the host's merge is looked for before it is made. Returns how many ended.
 */
export async function carryOutMerges(db: Database, hosts: Hosts): Promise<number> {
  const { observer } = hosts;
  for (let ended = 0; ended < BATCH; ended++) {
    const [order] = await db.many<Order>(nextMerge);
    if (order === undefined) return ended;
    const begun = performance.now();
    const result = await attempt(db, order, hosts);
    if (result !== 'open') observer?.onEnd('merge', result, (performance.now() - begun) / 1_000);
  }
  return BATCH;
}

/** `open`: it is tried again later. */
async function attempt(
  db: Database,
  order: Order,
  hosts: Hosts,
): Promise<'merged' | 'failed' | 'open'> {
  if (!order.allowed) {
    await refuse(db, order.id, 'no_longer_permitted', NOT_PERMITTED);
    return 'failed';
  }
  try {
    await carryOut(db, order, hosts);
    return 'merged';
  } catch (error) {
    if (error instanceof MergeRefused || (error instanceof HostError && !error.passes)) {
      await refuse(db, order.id, error.code, error.message);
      return 'failed';
    }
    hosts.log.warn({ err: error, merge: order.id }, 'a merge could not be carried out');
    if (order.attempts < MOST_ATTEMPTS) return 'open';
    await refuse(db, order.id, 'host_failed', 'The code host failed: merge again later.');
    return 'failed';
  }
}

async function carryOut(db: Database, order: Order, { merging, codeHosts }: Hosts): Promise<void> {
  if (order.host === 'local') {
    const commit = await merging.merge(order);
    const kept = await merging.keep(order, commit);
    return end(db, order.id, commit, {
      ...kept,
      height: await merging.heightOf(order.projectId, commit),
    });
  }
  const host = codeHosts?.of(order);
  if (host === undefined) throw new HostError(`${order.host}_unavailable`);
  await end(db, order.id, await host.mergePull(order, order.number, order));
}

/** Where code is, and what is said of failures. */
interface Hosts {
  merging: Merging;
  /** Where code is that is not on this server. */
  codeHosts?: CodeHosts | undefined;
  log: Logger;
  observer?: CodeObserver | undefined;
}

interface Order extends MergeOrder, HostedRepository {
  /** Of the pull request. */
  number: number;
  attempts: number;
  /** Its branch is a merge target still, and who asked for it is on the project. */
  allowed: boolean;
}

const NOT_PERMITTED =
  'The branch is no merge target any more, the person who asked is not on the project, or the ' +
  'account on the code host is not connected with its owner any more: ask again.';

const nextMerge = sql`
  with due as materialized (
    select id from merge
     where state = 'queued' and not_before <= now()
     order by not_before limit 1 for update skip locked),
  begun as (
    update merge m
       set attempts = m.attempts + 1,
           not_before = now() + ${BEGUN_MS}::integer * interval '1 millisecond'
      from due where m.id = due.id
    returning m.*)
  select b.id, b.task_id as "taskId", t.project_id as "projectId", b.branch as base, b.method,
         b.expected_head_sha as head, t.base as begins, b.attempts, pr.number, ${hostColumns},
         exists (select from merge_target m
                  where m.project_id = t.project_id and m.branch = b.branch and m.stage = b.stage)
         and exists (select from project_person p
                      where p.project_id = t.project_id and p.user_id = b.requested_by_user_id
                        and p.hidden_reason is null)
         and coalesce(${isConnected}, true)
         as allowed,
         pr.title || ' (#' || pr.number || ')' || E'\n\nMerged-by: ' || u.name as message
    from begun b
    join pull_request pr on pr.task_id = b.task_id
    join repository r on r.id = pr.repository_id
    join task t on t.id = b.task_id
    join project p on p.id = t.project_id
    join app_user u on u.id = b.requested_by_user_id`;

// Only while it is queued: one that ended meanwhile has the same outcome. What is merged into a local
// repository is deployed.
async function end(
  db: Database,
  id: string,
  commit: string,
  here?: MergedRange & { height: number },
): Promise<void> {
  await db.many(sql`
    with ended as (
      update merge
         set state = 'merged', merge_commit_sha = ${commit}, ended_at = now()
       where id = ${id} and state = 'queued'
      returning *),
    merged as (
      update pull_request pr
         set state = 'merged', updated_at = clock_timestamp(),
             merged_base_sha = ${here?.base ?? null}, merged_head_sha = ${here?.head ?? null}
        from ended where pr.task_id = ended.task_id
      returning pr.repository_id)
    insert into deploy
           (project_id, repository_id, merge_id, branch, stage, commit_sha, height)
    select r.project_id, r.id, ended.id, ended.branch, ended.stage, ${commit}, ${here?.height ?? null}
      from ended cross join merged
      join repository r on r.id = merged.repository_id and r.host = 'local'`);
}

const refuse = (db: Database, id: string, code: string, message: string) =>
  db.many(sql`
    update merge
       set state = 'failed', failure_code = ${code}, failure_message = ${message.slice(0, 1_000)},
           ended_at = now()
     where id = ${id} and state = 'queued'`);
