import { type Database, type DatabaseOptions, openDatabase } from '../../db/database/database.ts';
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
  /** Of each database, in their order, whether it answers now. */
  answering(): Promise<boolean[]>;
}

/**
 * `urls`: the databases of the log; the same ones in the same order for as long as there are tasks.
 */
export interface EventLogOptions extends Omit<DatabaseOptions, 'url' | 'poolSize'> {
  urls: readonly string[];
  /** Milliseconds after which an append gives up when the database cannot be reached. */
  giveUpAfter?: number;
  observer?: EventObserver | undefined;
}

/** Deleted in one statement: so that no lock is held for long. */
const DELETED_AT_ONCE = 5_000;

/** Comes before the id of every task. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/** Opens the log. Each database must have its tables (see migrateEventLog). */
export function openEventLog(given: EventLogOptions): OpenedEventLog {
  const { urls, giveUpAfter, observer, ...options } = given;
  const listeners: ((taskId: string, lastSeq: number) => void)[] = [];
  const onAppended = (taskId: string, lastSeq: number) => {
    for (const listener of listeners) listener(taskId, lastSeq);
  };
  const stores = urls.map((url) => {
    const db = openDatabase({ readers: 2, writers: 2, ...options, url, poolSize: 4 });
    return { db, appender: new Appender(db, onAppended, { giveUpAfter, observer }) };
  });
  const storeOf = (taskId: string) => stores[placeOf(taskId, stores.length)] as (typeof stores)[0];

  /** Asks each database once for its part of `items`. */
  async function ofEach<Item, Row>(
    items: readonly Item[],
    idOf: (item: Item) => string,
    ask: (db: Database, items: Item[]) => Promise<Row[]>,
  ): Promise<Row[]> {
    const parts = Map.groupBy(items, (item) => storeOf(idOf(item)));
    const rows = await Promise.all([...parts].map(([{ db }, part]) => ask(db, part)));
    return rows.flat();
  }

  return {
    acquire: async (taskId, fence, owner) => {
      requireUuid(taskId);
      const { db, appender } = storeOf(taskId);
      const [row] = await db.write<{ last_seq: bigint }>(acquired(taskId, fence, owner));
      if (row === undefined) return undefined;
      const lastSeq = Number(row.last_seq);
      appender.acquired(taskId, fence, lastSeq);
      return { lastSeq };
    },
    append: async (taskId, fence, events) => {
      requireUuid(taskId);
      if (events.length === 0) throw new TypeError('There is no event to append.');
      return storeOf(taskId).appender.append(taskId, fence, events.map(encode));
    },
    read: async (taskId, after, limit) =>
      (await storeOf(taskId).db.read<EventRow>(eventsAfter(taskId, after, limit))).map(eventOf),
    head: async (taskId) => {
      const [head] = await storeOf(taskId).db.read<Head>(heads([taskId]));
      return { first: Number(head?.first_seq ?? 1), last: Number(head?.last_seq ?? 0) };
    },
    onAppended: (listener) => {
      listeners.push(listener);
    },
    lastSeqs: async (taskIds) => {
      const ask = (db: Database, ids: string[]) => db.read<Head>(heads(ids));
      const rows = await ofEach(taskIds, (taskId) => taskId, ask);
      return new Map(rows.map(({ task_id, last_seq }) => [task_id, Number(last_seq)]));
    },
    readTasks: async (tasks, span) => {
      const ask = (db: Database, part: { taskId: string; after: number }[]) =>
        db.read<EventRow>(eventsOfTasks(part, span));
      const byTask = new Map<string, TaskEvent[]>();
      for (const row of await ofEach(tasks, ({ taskId }) => taskId, ask)) {
        const events = byTask.get(row.task_id);
        if (events === undefined) byTask.set(row.task_id, [eventOf(row)]);
        else events.push(eventOf(row));
      }
      return byTask;
    },
    kept: async function* (page) {
      for (const { db } of stores)
        for (let after = NO_TASK; ; ) {
          const rows = await db.read<Head>(keptAfter(after, page));
          if (rows.length === 0) break;
          after = rows.at(-1)?.task_id as string;
          yield rows.map(({ task_id, first_seq, last_seq }) => ({
            taskId: task_id,
            firstSeq: Number(first_seq),
            lastSeq: Number(last_seq),
          }));
        }
    },
    forget: async (tasks) => {
      const ask = async (db: Database, part: { taskId: string; lastSeq: number }[]) => {
        const left = new Map(
          part
            .toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1))
            .map((each) => [each.taskId, each]),
        );
        while (left.size > 0) {
          const rows = await db.many<Forgotten>(forgotten([...left.values()], DELETED_AT_ONCE));
          const more = new Set(rows.filter((row) => row.more).map(({ task_id }) => task_id));
          for (const taskId of [...left.keys()]) if (!more.has(taskId)) left.delete(taskId);
          for (const { deleted } of rows) observer?.onRemoved(deleted);
        }
        return [];
      };
      await ofEach(tasks, ({ taskId }) => taskId, ask);
    },
    remove: async (taskIds) => {
      await ofEach(
        taskIds,
        (taskId) => taskId,
        (db, ids) => db.many(removed(ids.toSorted())),
      );
    },
    answering: () =>
      Promise.all(
        stores.map(({ db }) =>
          db.read<Head>(heads([NO_TASK])).then(
            () => true,
            () => false,
          ),
        ),
      ),
    close: async () => {
      await Promise.all(stores.map(({ appender }) => appender.close()));
      await Promise.all(stores.map(({ db }) => db.close()));
    },
  };
}

/** Which of `count` databases has the events of a task: FNV-1a, which spreads any kind of id. */
function placeOf(taskId: string, count: number): number {
  if (count === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < taskId.length; i++) hash = Math.imul(hash ^ taskId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}

const eventOf = ({ seq, type, payload, turn_id, created_at }: EventRow): TaskEvent => ({
  seq: Number(seq),
  type,
  payload,
  turnId: turn_id,
  createdAt: created_at,
});
