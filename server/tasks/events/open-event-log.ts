import { type DatabaseOptions, openDatabase } from '../../db/database/database.ts';
import type { EventObserver } from './appender.ts';
import { Appender } from './appender.ts';
import { encode, requireUuid } from './encode.ts';
import type { EventLog, TaskEvent } from './event-log.ts';
import {
  acquired,
  type EventRow,
  eventsAfter,
  eventsOfTasks,
  type Forgotten,
  forgotten,
  type Head,
  heads,
  keptAfter,
  removed,
} from './statements.ts';

/** What the stream and retention need besides. */
export interface OpenedEventLog extends EventLog {
  /** Calls `listener` after each append of this process. */
  onAppended(listener: (taskId: string, lastSeq: number) => void): void;
  /** The newest event of each task with events. */
  lastSeqs(taskIds: readonly string[]): Promise<Map<string, number>>;
  /** For each task, the events that follow its number by at most `span`. */
  readTasks(
    tasks: readonly { taskId: string; after: number }[],
    span: number,
  ): Promise<Map<string, TaskEvent[]>>;
  /** Pages through all tasks whose events are kept. */
  kept(page: number): AsyncIterable<{ taskId: string; firstSeq: number; lastSeq: number }[]>;
  /** Deletes the events of tasks up to a number. */
  forget(tasks: readonly { taskId: string; lastSeq: number }[]): Promise<void>;
  /** Removes what is left of tasks whose events were all deleted, and that no longer exist. */
  remove(taskIds: readonly string[]): Promise<void>;
  /** Whether its database answers now. */
  answers(): Promise<boolean>;
}

export interface EventLogOptions extends Omit<DatabaseOptions, 'poolSize'> {
  /** Milliseconds after which an append gives up when the database cannot be reached. */
  giveUpAfter?: number;
  observer?: EventObserver | undefined;
}

/** Deleted in one statement: so that no lock is held for long. */
const DELETED_AT_ONCE = 5_000;

/** Comes before the id of every task. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/** Opens the log. Its database must have the tables (see migrateEventLog). */
export function openEventLog(given: EventLogOptions): OpenedEventLog {
  const { giveUpAfter, observer, ...options } = given;
  const listeners: ((taskId: string, lastSeq: number) => void)[] = [];
  const onAppended = (taskId: string, lastSeq: number) => {
    for (const listener of listeners) listener(taskId, lastSeq);
  };
  const db = openDatabase({ readers: 2, writers: 2, ...options, poolSize: 4 });
  const appender = new Appender(db, onAppended, { giveUpAfter, observer });

  return {
    acquire: async (taskId, fence, owner) => {
      requireUuid(taskId);
      const [row] = await db.write<{ last_seq: bigint }>(acquired(taskId, fence, owner));
      if (row === undefined) return undefined;
      const lastSeq = Number(row.last_seq);
      appender.acquired(taskId, fence, lastSeq);
      return { lastSeq };
    },
    append: async (taskId, fence, events) => {
      requireUuid(taskId);
      if (events.length === 0) throw new TypeError('There is no event to append.');
      return appender.append(taskId, fence, events.map(encode));
    },
    read: async (taskId, after, limit) =>
      (await db.read<EventRow>(eventsAfter(taskId, after, limit))).map(eventOf),
    head: async (taskId) => {
      const [head] = await db.read<Head>(heads([taskId]));
      return { first: Number(head?.first_seq ?? 1), last: Number(head?.last_seq ?? 0) };
    },
    onAppended: (listener) => {
      listeners.push(listener);
    },
    lastSeqs: async (taskIds) => {
      if (taskIds.length === 0) return new Map();
      const rows = await db.read<Head>(heads(taskIds));
      return new Map(rows.map(({ task_id, last_seq }) => [task_id, Number(last_seq)]));
    },
    readTasks: async (tasks, span) => {
      const byTask = new Map<string, TaskEvent[]>();
      if (tasks.length === 0) return byTask;
      for (const row of await db.read<EventRow>(eventsOfTasks(tasks, span))) {
        const events = byTask.get(row.task_id);
        if (events === undefined) byTask.set(row.task_id, [eventOf(row)]);
        else events.push(eventOf(row));
      }
      return byTask;
    },
    kept: async function* (page) {
      for (let after = NO_TASK; ; ) {
        const rows = await db.read<Head>(keptAfter(after, page));
        if (rows.length === 0) return;
        after = rows.at(-1)?.task_id as string;
        yield rows.map(({ task_id, first_seq, last_seq }) => ({
          taskId: task_id,
          firstSeq: Number(first_seq),
          lastSeq: Number(last_seq),
        }));
      }
    },
    forget: async (tasks) => {
      let left = tasks.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1));
      while (left.length > 0) {
        const rows = await db.many<Forgotten>(forgotten(left, DELETED_AT_ONCE));
        for (const { deleted } of rows) observer?.onRemoved(deleted);
        const more = new Set(rows.filter((row) => row.more).map(({ task_id }) => task_id));
        left = left.filter(({ taskId }) => more.has(taskId));
      }
    },
    remove: async (taskIds) => {
      if (taskIds.length > 0) await db.many(removed(taskIds.toSorted()));
    },
    answers: () =>
      db.read<Head>(heads([NO_TASK])).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await appender.close();
      await db.close();
    },
  };
}

const eventOf = ({ seq, type, payload, turn_id, created_at }: EventRow): TaskEvent => ({
  seq: Number(seq),
  type,
  payload,
  turnId: turn_id,
  createdAt: created_at,
});
