import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { Pod, PodDriver } from '../pods/pod.ts';
import { type Lease, LostLease, owned } from './lease.ts';
import { TurnFailed } from './runner.ts';

/** The pod of a task. `fresh`: its work tree is empty. */
export interface TaskPod {
  pod: Pod;
  fresh: boolean;
  /** The session of its agent, to go on with, and the nano-USD that it has cost. */
  session: { id: string; spent: bigint } | undefined;
}

/**
 * The pod of the turn's task, without any process of a former agent; made if there is none. One
 * whose driver says that it is gone is replaced. Throws TurnFailed, LostLease and PodError.
 */
export async function openPod(db: Database, driver: PodDriver, lease: Lease): Promise<TaskPod> {
  const known = await db.maybeOne<{ id: string; session: string | null; spent: bigint }>(sql`
    select id, agent_session as session,
           (select coalesce(sum(u.spent_nano), 0)::bigint from task_turn u
             where u.task_id = pod.task_id) - spent_before_session_nano as spent
      from pod where task_id = ${lease.taskId} and state not in ('absent', 'failed')`);
  if (known !== undefined) {
    const { state } = await driver.find(known.id);
    if (state === 'unknown')
      throw new TurnFailed('The pod of this task does not answer. Send a message to try again.');
    if (state !== 'absent' && state !== 'failed') {
      const pod = await driver.attach(known.id);
      await save(
        db,
        lease,
        sql`update pod set state = 'running' from owned where id = ${known.id}`,
      );
      const { session: id, spent } = known;
      return { pod, fresh: false, session: id === null ? undefined : { id, spent } };
    }
    await save(db, lease, sql`update pod set state = 'absent' from owned where id = ${known.id}`);
  }
  const id = randomUUID();
  await save(
    db,
    lease,
    sql`
      insert into pod (id, task_id, driver, state, generation)
      select ${id}, owned.task_id, ${driver.name}, 'creating',
             1 + (select count(*) from pod p where p.task_id = owned.task_id)
        from owned`,
  );
  const { externalId } = await driver.create(id);
  const pod = await driver.start(id);
  await save(
    db,
    lease,
    sql`
      update pod set state = 'running', external_id = ${externalId ?? null}, started_at = now()
        from owned where id = ${id}`,
  );
  return { pod, fresh: true, session: undefined };
}

/** Remembers the session of the pod's agent, which has just begun or goes on. */
export const keepSession = (db: Database, lease: Lease, podId: string, session: string) =>
  save(
    db,
    lease,
    sql`
      update pod
         set agent_session = ${session},
             spent_before_session_nano = case
               when agent_session = ${session} then spent_before_session_nano
               else (select coalesce(sum(u.spent_nano), 0) from task_turn u
                      where u.task_id = pod.task_id) end
        from owned where id = ${podId}`,
  );

/** A change of the lease's owner: it reads from `owned`, so that it changes nothing for others. */
async function save(db: Database, lease: Lease, change: ReturnType<typeof sql>): Promise<void> {
  const rows = await db.many(sql`
    with owned as materialized (${owned(lease)}),
    changed as (${change} returning 1)
    select from owned`);
  if (rows.length === 0) throw new LostLease(lease);
}
