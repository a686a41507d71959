import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { StoredPodState } from '../../platform/pods/pod-states.ts';
import { keepLease } from './keep-lease.ts';

/** A pod that no turn uses, and that only this claimant works on. */
export interface ClaimedPod {
  id: string;
  taskId: string;
  projectId: string;
  state: StoredPodState;
  /** Its work tree has what was committed last, and perhaps more. */
  filled: boolean;
  /** Names this claim. */
  by: string;
}

/** Then a pod is free although its claimant has died. What takes longer renews the claim. */
const CLAIM_MS = 180_000;

/** The claim has ended by itself: another one may work on the pod. */
export class LostClaim extends Error {
  constructor({ id }: ClaimedPod) {
    super(`the pod ${id} is not claimed any more`);
  }
}

/**
 * Claims the pod of a task, or one that it makes a row for with `make`, the name of its driver.
 * `busy`: a turn runs. `later`: another process has it, or the task is locked at this moment.
 * `none`: there is no such pod. A turn cannot begin meanwhile: whoever claims one locks the task as well.
 */
export const claimPod = (
  db: Database,
  { taskId, make, due = sql`true` }: { taskId: string; make?: string; due?: Sql },
): Promise<ClaimedPod | 'busy' | 'later' | 'none'> =>
  db.transaction(async (tx) => {
    const task = await tx.maybeOne(sql`
      select id from task where id = ${taskId} for no key update skip locked`);
    if (task === undefined) return 'later';
    // A statement of its own, which sees what was committed before the lock.
    const now = await tx.one<{ working: boolean; pod: string | null; held: boolean }>(sql`
      select exists (select from task_turn u
                      where u.task_id = t.id and u.state in ('running', 'waiting')) as working,
             p.id as pod, coalesce(p.held_until > now(), false) as held
        from task t
        left join pod p on p.task_id = t.id and p.state not in ('absent', 'failed', 'destroying')
       where t.id = ${taskId}`);
    if (now.working) return 'busy';
    if (now.held) return 'later';
    if (now.pod === null && make === undefined) return 'none';
    const id = now.pod ?? randomUUID();
    if (now.pod === null)
      await tx.many(sql`
        insert into pod (id, task_id, driver, state, generation)
        select ${id}, ${taskId}, ${make ?? ''}, 'creating',
               1 + (select count(*) from pod where task_id = ${taskId})`);
    const by = randomUUID();
    const claimed = await tx.maybeOne<ClaimedPod>(sql`
      update pod p
         set held_by = ${by}, held_until = now() + ${CLAIM_MS}::integer * interval '1 millisecond'
        from task t
       where p.id = ${id} and t.id = p.task_id and ${due}
      returning p.id, p.task_id as "taskId", t.project_id as "projectId", p.state,
                p.filled_at is not null as filled, p.held_by as by`);
    return claimed ?? 'none';
  });

/**
 * Ends a claim and changes the pod: `set` is SQL, such as `state = 'paused'`. Nothing happens when
 * the claim has ended by itself.
 */
export const releasePod = (db: Database, { id, by }: ClaimedPod, set: Sql): Promise<unknown> =>
  db.many(sql`
    update pod set held_by = null, held_until = null, ${set}
     where id = ${id} and held_by = ${by} and held_until > now()
    returning id`);

/**
 * Keeps a claim while `work` is done. Its signal is aborted once the claim is lost, and by `stopping`.
 */
export async function whileClaimed<Result>(
  db: Database,
  claimed: ClaimedPod,
  stopping: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lease = keepLease({
    renew: async () => {
      const renewed = await db.many(sql`
        update pod set held_until = now() + ${CLAIM_MS}::integer * interval '1 millisecond'
         where id = ${claimed.id} and held_by = ${claimed.by} and held_until > now()
        returning id`);
      if (renewed.length === 0) throw new LostClaim(claimed);
    },
    isLost: (error) => error instanceof LostClaim,
    expired: () => new LostClaim(claimed),
    every: CLAIM_MS / 6,
    silence: CLAIM_MS / 2,
  });
  const signals = stopping === undefined ? [lease.lost] : [lease.lost, stopping];
  return work(AbortSignal.any(signals)).finally(() => lease.end());
}
