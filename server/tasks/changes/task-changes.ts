import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Change, changeColumns } from './change.ts';
import { ChangeReader } from './change-reader.ts';
import { pieces } from './frames.ts';
import { KNOWN_SECONDS, type Moment, momentColumns, positionAt, xminOf } from './position.ts';

/** Between two polls of what has changed. */
const POLL_EVERY_MS = 1_000;
/** Changes that one poll sends one by one; more of them are a reset. */
export const MOST = 5_000;
/**
 * Changes that a stream which continues gets one by one, 64 KB of them: these bytes are its alone,
 * and it may take none of them.
 */
const MOST_ALONE = 300;

/** Begins a stream with what was read at a moment. */
interface Opening {
  moment: Moment;
  projects: readonly string[];
  /** `polls` when its request began. */
  since: number;
  /** What it continues after, and what it has missed: undefined if that is not known any more. */
  after?: string | undefined;
  missed?: readonly Change[] | undefined;
}

/** The changes of all tasks, for the streams of this process. */
export interface TaskChanges {
  /** How many polls there were: whoever opens a stream says how many before its request. */
  polls(): number;
  open(opening: Opening): ChangeReader;
}

/**
 * One statement a second for all readers, while there are any, reads what has become visible since
 * the last poll, however late a transaction commits. Who gets it follows from the projects of
 * each reader, in memory.
 */
export function openTaskChanges(
  db: Pick<Database, 'read'>,
  {
    pollEveryMs = POLL_EVERY_MS,
    onReset = () => {},
  }: { pollEveryMs?: number; onReset?: () => void } = {},
): TaskChanges {
  const readers = new Set<ChangeReader>();
  const ofProject = new Map<string, Set<ChangeReader>>();
  /** The moment until which readers were told; undefined while there are none. */
  let told: Moment | undefined;
  let last: readonly Change[] = [];
  let polls = 0;
  let polling = false;
  let timer: NodeJS.Timeout | undefined;

  const followed = {
    position: () => positionAt(told as Moment),
    moved: (reader: ChangeReader, former: ReadonlySet<string>) => {
      if (!readers.has(reader)) return;
      leave(reader, former);
      join(reader);
    },
    left: (reader: ChangeReader) => {
      if (!readers.delete(reader)) return;
      leave(reader, reader.projects);
      if (readers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      told = undefined;
    },
  };

  function join(reader: ChangeReader): void {
    for (const id of reader.projects) {
      const beside = ofProject.get(id);
      if (beside === undefined) ofProject.set(id, new Set([reader]));
      else beside.add(reader);
    }
  }

  function leave(reader: ChangeReader, projects: ReadonlySet<string>): void {
    for (const id of projects) {
      const beside = ofProject.get(id);
      if (beside?.delete(reader) && beside.size === 0) ofProject.delete(id);
    }
  }

  async function poll(): Promise<void> {
    const before = told;
    if (polling || before === undefined) return;
    polling = true;
    try {
      const { moment, changes } = await changesSince(db, before);
      // All have left meanwhile, and others may have come.
      if (told !== before) return;
      polls++;
      told = moment;
      last = changes;
      if (changes.length > MOST || !follows(moment, before)) resetAll();
      else tell(positionAt(before), changes, (id) => ofProject.get(id) ?? []);
    } catch {
      // The database cannot be read now: the next poll finds what this one did not.
    } finally {
      polling = false;
    }
  }

  function resetAll(): void {
    // A reader that is being opened cannot continue with this poll.
    polls++;
    for (const reader of readers) reader.reset();
  }

  function begin(moment: Moment): void {
    // Of two that are opened at once, the second does not know what the first has seen.
    polls += 2;
    told = moment;
    timer = setInterval(poll, pollEveryMs).unref();
  }

  return {
    polls: () => polls,
    open: ({ moment, projects, since, after, missed }) => {
      const reader = new ChangeReader(followed, projects);
      readers.add(reader);
      join(reader);
      const ahead = told === undefined ? 0 : polls - since;
      if (told === undefined) begin(moment);
      if (after === undefined || missed === undefined || ahead > 1) {
        if (after !== undefined) onReset();
        reader.reset();
        return reader;
      }
      // A poll that was made while this was read may have found what that did not.
      const found = ahead === 1 ? last : [];
      const own = [...missed, ...found.filter((each) => reader.projects.has(each.project_id))];
      if (own.length > MOST_ALONE) reader.reset();
      else tell(after, own, (id) => (reader.projects.has(id) ? [reader] : []));
      return reader;
    },
  };
}

/** Gives each project's changes to its readers, who share their bytes. */
function tell(
  position: string,
  changes: readonly Change[],
  readersOf: (projectId: string) => Iterable<ChangeReader>,
): void {
  for (const [projectId, some] of Map.groupBy(changes, ({ project_id }) => project_id)) {
    const readers = [...readersOf(projectId)];
    if (readers.length === 0) continue;
    const each = some.map(({ json }) => json).filter((json) => json !== null);
    if (each.length < some.length) for (const reader of readers) reader.reset();
    else {
      const frames = pieces(position, each);
      for (const reader of readers) reader.give(frames);
    }
  }
}

/**
 * Whether this is a later moment of the same database, and not that of a copy or of a server that
 * has taken over without the last transactions, nor so late that notes are deleted.
 */
const follows = (moment: Moment, before: Moment): boolean =>
  BigInt(xminOf(moment)) >= BigInt(xminOf(before)) && moment.at - before.at < KNOWN_SECONDS;

type Polled = Moment & { project_id: string | null; json: string | null };

/**
 * What is visible now and was not at a moment: the index bounds it by the oldest transaction that
 * ran then. Beyond the newest one are rows of a restored copy alone.
 */
async function changesSince(
  db: Pick<Database, 'read'>,
  { snapshot }: Moment,
): Promise<{ moment: Moment; changes: Change[] }> {
  const rows = await db.read<Polled>(sql`
    select now.*, changed.*
      from (select ${momentColumns}) now
      left join (
        select c.project_id, ${changeColumns}
          from (select distinct object_id, project_id from task_change
                 where transaction_id >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
                   and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
                   and not pg_visible_in_snapshot(transaction_id, ${snapshot}::pg_snapshot)
                 limit ${MOST + 1}) c
          left join task t on t.id = c.object_id) changed on true`);
  const [{ snapshot: seen, at }] = rows as [Polled];
  const changes = rows.filter((row): row is Polled & Change => row.project_id !== null);
  return { moment: { snapshot: seen, at }, changes };
}

/** Deletes notes that every process has read, the oldest first. */
export async function purgeTaskChanges(db: Pick<Database, 'many'>): Promise<void> {
  for (;;) {
    const deleted = await db.many(sql`
      delete from task_change
       where (transaction_id, object_id) = any(array(
               select (transaction_id, object_id) from task_change
                where noted_at < now() - interval '1 hour'
                order by transaction_id limit ${PURGED}))
      returning true`);
    if (deleted.length < PURGED) return;
  }
}

const PURGED = 10_000;
