import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type EventLog, LostFence } from '../../tasks/index.ts';
import { takeFence, type Writer } from './take-fence.ts';

/**
 * Appends to the events of tasks what happened to their pull requests, checks, merges and deploys,
 * whoever changed them: triggers write it into `task_event_outbox` with the change. Each is
 * appended once, although a worker may die between the log and the outbox, which are never in one
 * transaction: before it appends, it notes where the log ends, and whoever has the fence after it
 * looks there.
 */

interface Change {
  id: string;
  type: string;
  payload: object;
  logSeq: bigint | null;
}

/** Appended at once; the rest follows with the next poll. */
const MOST = 500;
const PAGE = 100;

/**
 * Appends what waits of one task, in its order. Not twice at once with the same fence; after a
 * failure, only with a higher one, since an append may still succeed after its answer was lost.
 * Throws LostFence.
 */
export async function publishChanges(
  db: Pick<Database, 'many'>,
  events: EventLog,
  { taskId, fence }: Writer,
): Promise<void> {
  const changes = await db.many<Change>(sql`
    select id, type, payload, log_seq as "logSeq"
      from task_event_outbox where task_id = ${taskId} order by noted_at, id limit ${MOST}`);
  if (changes.length === 0) return;
  const { last } = await events.head(taskId);
  const tried = changes.flatMap(({ logSeq }) => (logSeq === null ? [] : [Number(logSeq)]));
  const appended = await changesAfter(events, taskId, Math.min(last, ...tried), last);
  const missing = changes.filter(({ id }) => !appended.has(id));
  if (missing.length > 0) {
    await db.many(sql`
      update task_event_outbox set log_seq = ${last}
       where id = any(${missing.map(({ id }) => id)}::uuid[]) and log_seq is null`);
    await events.append(
      taskId,
      fence,
      missing.map(({ id, type, payload }) => ({ type, payload: { id, ...payload } })),
    );
  }
  await db.many(sql`
    delete from task_event_outbox where id = any(${changes.map(({ id }) => id)}::uuid[])`);
}

/** The ids of the changes among the events after a number, up to another. */
async function changesAfter(
  events: EventLog,
  taskId: string,
  after: number,
  last: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let position = after; position < last; ) {
    const page = await events.read(taskId, position, PAGE);
    for (const { turnId, payload } of page) {
      // What an agent does has a turn.
      if (turnId === null) found.add(JSON.parse(payload)?.id);
    }
    position = page.at(-1)?.seq ?? last;
  }
  return found;
}

/** SQL: whether something waits. */
export const CHANGES_WAIT = sql`exists (select from task_event_outbox)`;

/** The tasks of which something waits. */
export async function tasksWithChanges(db: Pick<Database, 'read'>): Promise<Set<string>> {
  const rows = await db.read<{ id: string }>(sql`
    select distinct task_id as id from task_event_outbox`);
  return new Set(rows.map(({ id }) => id));
}

/** How many changes are taken at once of tasks where no turn is at work. */
const BATCH = 200;
const BEGUN_MS = 10_000;

interface PublishOptions {
  owner: string;
  /** Of one task, whose changes are tried again after a while, which keeps no other from its own. */
  onFailure(error: unknown, taskId: string): void;
  /** How long other processes leave what one has begun with, in milliseconds. */
  begun?: number;
}

/**
 * Does so for tasks where no turn is at work; the worker of a turn does it for its own task. Any
 * number of processes may do it at once.
 */
export async function publishIdle(
  db: Database,
  events: EventLog,
  { owner, onFailure, begun = BEGUN_MS }: PublishOptions,
): Promise<void> {
  const tasks = await db.many<Writer>(sql`
    with gone as (
      delete from task_event_outbox o
       where not exists (select from task t where t.id = o.task_id)),
    due as materialized (
      select o.id
        from task_event_outbox o
       where o.not_before <= now()
         and not exists (select from task_turn busy
                          where busy.task_id = o.task_id and busy.state in ('running', 'waiting'))
         and exists (select from task t where t.id = o.task_id)
       order by o.noted_at, o.id limit ${BATCH} for no key update skip locked),
    begun as (
      update task_event_outbox o
         set not_before = now() + ${begun}::integer * interval '1 millisecond'
        from due where o.id = due.id
      returning o.task_id)
    select t.id as "taskId", t.fence
      from task t where t.id in (select task_id from begun)`);
  await Promise.all(
    tasks.map(async (task) => {
      try {
        const writer = await takeFence(db, events, owner, task);
        if (writer !== undefined) await publishChanges(db, events, writer);
      } catch (error) {
        if (!(error instanceof LostFence)) onFailure(error, task.taskId);
      }
    }),
  );
}
