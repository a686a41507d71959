import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type EventLog, LostFence } from '../../tasks/index.ts';
import { publishArtifacts } from './publish-artifacts.ts';
import { takeFence, type Writer } from './take-fence.ts';

/**
 * The events of a task are not in one transaction with the core, so the end of a turn is published
 * after it was stored. `task_turn.published_at` says when: an end whose worker died in between is
 * published by the next worker that gets the task, once.
 */

interface Unpublished {
  id: string;
  number: number;
  state: string;
  error: string | null;
  status: string;
  reason: string | null;
}

/** How many of the newest events are searched for an end that was published already. */
const LOOK_BACK = 200;

/**
 * Appends the ends of all turns of a task that were not published yet, after their artifacts. Of
 * two writers one has the newer fence, and only that one appends. Throws LostFence.
 */
export async function publishEnds(db: Database, events: EventLog, writer: Writer): Promise<void> {
  await publishArtifacts(db, events, writer);
  const unpublished = await db.many<Unpublished>(sql`
    select u.id, u.number, u.state, u.error, t.status, t.status_reason as reason
      from task_turn u join task t on t.id = u.task_id
     where u.task_id = ${writer.taskId}
       and u.state in ('done', 'failed', 'cancelled') and u.published_at is null
     order by u.number`);
  const [{ status, reason } = {}] = unpublished;
  if (status === undefined) return;
  const published = await publishedAlready(events, writer.taskId);
  const missing = unpublished.filter(({ id }) => !published.has(id));
  if (missing.length > 0)
    await events.append(writer.taskId, writer.fence, [
      ...missing.map(({ id, number, state, error }) => ({
        type: 'turn_ended',
        turnId: id,
        payload: { number, state, ...(error === null ? {} : { error }) },
      })),
      { type: 'status', payload: { status, ...(reason === null ? {} : { reason }) } },
    ]);
  await db.many(sql`
    update task_turn set published_at = clock_timestamp()
     where id = any(${unpublished.map(({ id }) => id)}::uuid[])`);
}

async function publishedAlready(events: EventLog, taskId: string): Promise<Set<string>> {
  const { last } = await events.head(taskId);
  const recent = await events.read(taskId, Math.max(0, last - LOOK_BACK), LOOK_BACK);
  // An interruption is published as well; the turn goes on afterwards.
  const ends = recent.filter(
    ({ type, payload }) => type === 'turn_ended' && JSON.parse(payload).state !== 'interrupted',
  );
  return new Set(ends.map(({ turnId }) => turnId as string));
}

/**
 * Publishes the ends whose worker died before it did, of tasks where no turn is at work: there the
 * next claim does it. `after`: milliseconds since the end.
 */
export async function publishForgotten(
  db: Database,
  events: EventLog,
  { owner, after }: { owner: string; after: number },
): Promise<void> {
  const tasks = await db.many<Writer>(sql`
    select t.id as "taskId", t.fence
      from task t
     where t.id in (select task_id from task_turn
                     where state in ('done', 'failed', 'cancelled') and published_at is null
                       and ended_at < now() - ${after}::integer * interval '1 millisecond')
       and not exists (select from task_turn busy
                        where busy.task_id = t.id and busy.state in ('running', 'waiting'))
     limit 20`);
  for (const task of tasks) {
    const writer = await takeFence(db, events, owner, task);
    if (writer === undefined) continue; // The worker of the turn that was claimed publishes them.
    await publishEnds(db, events, writer).catch((error) => {
      if (!(error instanceof LostFence)) throw error;
    });
  }
}
