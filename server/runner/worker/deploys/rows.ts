import { randomUUID } from 'node:crypto';
import type { Stage } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/** A deploy that one worker carries out, until its lease runs out. */
export interface ClaimedDeploy {
  id: string;
  /** Names this claim: what another one has begun is never changed. */
  by: string;
  projectId: string;
  branch: string;
  stage: Stage;
  commit: string;
  /** The pod in which a worker before has begun it. */
  podId: string | null;
  /** How many workers have begun it, this one included. */
  attempts: number;
}

/** SQL: a deploy `d` that workers carry out; the others are of code hosts. */
const ours = sql`d.height is not null and d.state in ('queued', 'running')`;

/** SQL: whether something may be due. */
export const DEPLOYS_DUE = sql`
  exists (select from deploy d
           where ${ours} and (d.state = 'queued' or d.state = 'running' and d.held_until < now()))`;

/** Whether something may be due: asked often, and answered from what has not ended. */
export const deploysDue = async (db: Pick<Database, 'read'>): Promise<boolean> => {
  const [found] = await db.read<{ due: boolean }>(sql`
    select ${DEPLOYS_DUE} as due`);
  return found?.due === true;
};

/**
 * Claims a deploy for `lease` milliseconds; undefined if none is due. Of a branch, one is carried out
 * at a time: first one that its worker has left, then the newest of those that wait. The older ones
 * are superseded, and so is one that was found late, when a newer one had begun already.
 */
export const claimDeploy = (
  db: Pick<Database, 'transaction'>,
  lease: number,
): Promise<ClaimedDeploy | undefined> =>
  db.transaction(async (tx) => {
    // Who else looks for deploys of this repository meanwhile finds others, or none.
    const of = await tx.maybeOne<{ repository: string; branch: string }>(sql`
      select d.repository_id as repository, d.branch
        from deploy d join repository r on r.id = d.repository_id
       where ${ours}
         and (d.state = 'running' and d.held_until < now()
              or d.state = 'queued'
                 and not exists (select from deploy w
                                  where w.repository_id = d.repository_id
                                    and w.branch = d.branch and w.state = 'running'
                                    and w.height is not null))
       order by d.created_at limit 1
         for no key update of r skip locked`);
    if (of === undefined) return undefined;
    // Statements of their own, which see what was committed before the lock.
    const next = await tx.maybeOne<{ id: string; left: boolean }>(sql`
      select d.id, d.state = 'queued' or d.held_until < now() as left
        from deploy d
       where ${ours} and d.repository_id = ${of.repository} and d.branch = ${of.branch}
         and (d.state = 'running'
              or d.state = 'queued'
                 and not exists (select from deploy later
                                  where later.repository_id = d.repository_id
                                    and later.branch = d.branch and later.height > d.height
                                    and (later.state = 'queued' or later.started_at is not null)))
       order by d.state = 'running' desc limit 1`);
    const claimed =
      next?.left === true
        ? await tx.maybeOne<ClaimedDeploy>(sql`
            update deploy d
               set state = 'running', held_by = ${randomUUID()}, attempts = attempts + 1,
                   held_until = now() + ${lease}::integer * interval '1 millisecond',
                   started_at = coalesce(started_at, clock_timestamp())
             where id = ${next.id}
            returning id, held_by as by, project_id as "projectId", branch, stage,
                      commit_sha as commit, pod_id as "podId", attempts`)
        : undefined;
    await tx.many(sql`
      update deploy d
         set state = 'superseded', ended_at = now(),
             reason = 'A newer commit of the branch is deployed instead.'
       where ${ours} and d.repository_id = ${of.repository} and d.branch = ${of.branch}
         and d.state = 'queued'
         and exists (select from deploy later
                      where later.repository_id = d.repository_id
                        and later.branch = d.branch and later.height > d.height
                        and (later.state = 'queued' or later.started_at is not null))`);
    return claimed;
  });

type Claim = Pick<ClaimedDeploy, 'id' | 'by'>;
const mine = ({ id, by }: Claim) => sql`id = ${id} and held_by = ${by}`;
const wasMine = async (rows: Promise<unknown[]>): Promise<boolean> => (await rows).length > 0;

/** Of these functions, all return false when the deploy is no longer claimed like this. */

/** Keeps it for as long again. */
export const renewDeploy = (db: Pick<Database, 'many'>, claim: Claim, lease: number) =>
  wasMine(
    db.many(sql`
      update deploy set held_until = now() + ${lease}::integer * interval '1 millisecond'
       where ${mine(claim)} returning id`),
  );

/** Says in which pod its command is about to begin. */
export const storePod = (db: Pick<Database, 'many'>, claim: Claim, podId: string) =>
  wasMine(db.many(sql`update deploy set pod_id = ${podId} where ${mine(claim)} returning id`));

/**
 * Leaves it to another worker, in so many milliseconds. `counted`: whether this was one of the
 * attempts that are made.
 */
export const leaveDeploy = (
  db: Pick<Database, 'many'>,
  claim: Claim,
  { after, counted }: { after: number; counted: boolean },
) =>
  wasMine(
    db.many(sql`
      update deploy
         set held_by = ${randomUUID()}, attempts = attempts - ${counted ? 0 : 1}::integer,
             held_until = now() + ${after}::integer * interval '1 millisecond'
       where ${mine(claim)} returning id`),
  );

/** Stores the log so far. */
export const storeLog = (db: Pick<Database, 'many'>, claim: Claim, log: string) =>
  wasMine(
    db.many(sql`
      insert into deploy_log as l (deploy_id, content)
      select id, ${log} from deploy where ${mine(claim)}
      on conflict (deploy_id) do update set content = excluded.content, updated_at = now()
      returning deploy_id`),
  );

/** What came of a deploy. */
export interface DeployEnd {
  state: 'success' | 'failed';
  /** A sentence. */
  reason?: string | undefined;
  log?: string | undefined;
}

const LONGEST_REASON = 1_000;

export const endDeploy = (
  db: Pick<Database, 'many'>,
  claim: Claim,
  { state, reason, log }: DeployEnd,
) =>
  wasMine(
    db.many(sql`
      with ended as (
        update deploy
           set state = ${state}, reason = ${reason?.slice(0, LONGEST_REASON) ?? null},
               ended_at = now(), held_by = null, held_until = null
         where ${mine(claim)} returning id),
      logged as (
        insert into deploy_log as l (deploy_id, content)
        select id, ${log ?? ''} from ended where ${log !== undefined}::boolean
        on conflict (deploy_id) do update set content = excluded.content, updated_at = now())
      select id from ended`),
  );
