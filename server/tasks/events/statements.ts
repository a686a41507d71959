import { type Sql, sql } from '../../db/sql.ts';

/**
 * Everything that is asked of `task_log` and `task_event`. So that they can be in databases of
 * their own, even distributed ones, each statement names the tasks it is about and no other table.
 */

/** Events of one task to append, when the fence is its own and `lastSeq` is still the newest. */
export interface Batch {
  taskId: string;
  fence: bigint;
  lastSeq: number;
  events: readonly EncodedEvent[];
}

/** An event as it is stored. */
export interface EncodedEvent {
  type: string;
  payload: string;
  turnId: string | null;
}

/**
 * Appends the events of several tasks, in the order of their ids: two statements that lock the same
 * tasks in different orders could deadlock. Returns the `task_id` of each task that was appended
 * to.
 *
 * `lastSeq` makes it harmless to repeat the statement when its answer was lost.
 */
export function appended(batches: readonly Batch[]): Sql {
  const ids = batches.map(({ taskId }) => taskId);
  const tasks: string[] = [];
  const seqs: number[] = [];
  const turns: (string | null)[] = [];
  const types: string[] = [];
  const payloads: string[] = [];
  for (const { taskId, lastSeq, events } of batches)
    events.forEach(({ type, payload, turnId }, index) => {
      tasks.push(taskId);
      seqs.push(lastSeq + index + 1);
      turns.push(turnId);
      types.push(type);
      payloads.push(payload);
    });
  return sql`
    with moved as (
      update task_log l set last_seq = l.last_seq + b.count
        from unnest(${ids}::uuid[], ${batches.map(({ fence }) => fence)}::bigint[],
                    ${batches.map(({ lastSeq }) => lastSeq)}::bigint[],
                    ${batches.map(({ events }) => events.length)}::bigint[])
             as b (task_id, fence, last_seq, count)
       where l.task_id = b.task_id and l.task_id = any(${ids}::uuid[])
         and l.fence = b.fence and l.last_seq = b.last_seq
      returning l.task_id),
    added as (
      insert into task_event (task_id, seq, turn_id, type, payload)
      select e.task_id, e.seq, e.turn_id, e.type, e.payload
        from unnest(${tasks}::uuid[], ${seqs}::bigint[], ${turns}::uuid[], ${types}::text[],
                    ${payloads}::text[]) as e (task_id, seq, turn_id, type, payload)
        join moved using (task_id))
    select task_id from moved`;
}

/** One row with `last_seq` when the fence was taken, and none when a later one is there. */
export const acquired = (taskId: string, fence: bigint, owner: string): Sql => sql`
  insert into task_log as l (task_id, fence, owner) values (${taskId}, ${fence}, ${owner})
  on conflict (task_id) do update set fence = excluded.fence, owner = excluded.owner
   where l.fence < excluded.fence or (l.fence = excluded.fence and l.owner = excluded.owner)
  returning last_seq`;

export interface Head {
  task_id: string;
  first_seq: bigint;
  last_seq: bigint;
  fence: bigint;
}

/** Where the events of these tasks begin and end. */
export const heads = (taskIds: readonly string[]): Sql => sql`
  select task_id, first_seq, last_seq, fence from task_log where task_id = any(${taskIds}::uuid[])`;

export interface EventRow {
  task_id: string;
  seq: bigint;
  turn_id: string | null;
  type: string;
  payload: string;
  created_at: Date;
}

/** The events of one task after a number, oldest first. */
export const eventsAfter = (taskId: string, after: number, limit: number): Sql => sql`
  select task_id, seq, turn_id, type, payload, created_at
    from task_event
   where task_id = ${taskId} and seq > ${after}
   order by seq limit ${limit}`;

/** The same for several tasks: of each, those that follow its number by at most `span`. */
export const eventsOfTasks = (
  tasks: readonly { taskId: string; after: number }[],
  span: number,
): Sql => sql`
  select e.task_id, e.seq, e.turn_id, e.type, e.payload, e.created_at
    from unnest(${tasks.map(({ taskId }) => taskId)}::uuid[],
                ${tasks.map(({ after }) => after)}::bigint[]) as r (task_id, after)
    join task_event e on e.task_id = r.task_id and e.seq > r.after and e.seq <= r.after + ${span}
   order by e.task_id, e.seq`;

/** Tasks whose events are kept, after this id: a walk through all of them, for retention. */
export const keptAfter = (taskId: string, limit: number): Sql => sql`
  select task_id, first_seq, last_seq from task_log
   where task_id > ${taskId} and first_seq <= last_seq
   order by task_id limit ${limit}`;

export interface Forgotten {
  task_id: string;
  deleted: number;
  /** Whether events up to the number are left. */
  more: boolean;
}

/** Deletes the oldest events of tasks: all up to `lastSeq`, but no more than `atMost` of each. */
export const forgotten = (
  tasks: readonly { taskId: string; lastSeq: number }[],
  atMost: number,
): Sql => {
  const ids = tasks.map(({ taskId }) => taskId);
  return sql`
    with moved as (
      update task_log l set first_seq = least(f.last_seq + 1, l.first_seq + ${atMost})
        from unnest(${ids}::uuid[], ${tasks.map(({ lastSeq }) => lastSeq)}::bigint[])
             as f (task_id, last_seq)
       where l.task_id = f.task_id and l.task_id = any(${ids}::uuid[])
         and l.first_seq <= f.last_seq
      returning l.task_id, l.first_seq, f.last_seq),
    deleted as (
      delete from task_event e using moved m where e.task_id = m.task_id and e.seq < m.first_seq
      returning e.task_id)
    select m.task_id, m.first_seq <= m.last_seq as more, count(d.task_id)::int as deleted
      from moved m left join deleted d on d.task_id = m.task_id
     group by m.task_id, m.first_seq, m.last_seq`;
};

/** Removes what is left of tasks that no longer exist. */
export const removed = (taskIds: readonly string[]): Sql => sql`
  delete from task_log where task_id = any(${taskIds}::uuid[]) and first_seq > last_seq`;
