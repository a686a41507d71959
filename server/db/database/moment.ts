import { Sql, sql } from '../sql.ts';
import type { Tx } from './transaction.ts';

/** What a replica says to the question of a moment. */
export interface Replayed {
  /** Whether it follows a primary at all. */
  recovering: boolean;
  /** Whether it has the mark of the primary's timeline, and is a standby of that server. */
  marked: boolean;
  /** Whether it has replayed everything up to the position. */
  reached: boolean;
}

/** A position in the write-ahead log of the primary, and the mark of its timeline. */
export interface Moment {
  /**
   * A statement for a replica, which answers with one Replayed. Statements that follow it on its
   * connection see all of the moment if it has said so.
   */
  question: Sql;
}

type Found = { position: string; system: bigint; timeline: number };

// A transaction is visible to others once its commit is flushed, unless nothing waits for that.
// The name of a file of the log begins with its timeline, in hexadecimal digits.
const POSITION = sql`
  select case when current_setting('synchronous_commit') = 'off'
              then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn()
         end::text as position,
         ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline,
         (select system_identifier from pg_control_system()) as system`;

const markOf = ({ system, timeline }: Found): Sql => sql`
  select id from database_timeline where system_identifier = ${system} and timeline = ${timeline}`;

const newMark = ({ system, timeline }: Found): Sql => sql`
  insert into database_timeline (system_identifier, timeline)
  values (${system}, ${timeline}) on conflict do nothing`;

/** Tells where the primary is. */
export class Moments {
  readonly #read: Tx['many'];
  readonly #write: Tx['many'];
  /** The mark of the timeline on which the primary was last. */
  #known: (Found & { mark: string }) | undefined;

  /** Statements on the primary: that only read, and that write. */
  constructor(primary: { read: Tx['many']; write: Tx['many'] }) {
    this.#read = primary.read;
    this.#write = primary.write;
  }

  /**
   * The moment at which the primary is: everything that was committed before the call is in it.
   * Throws when this server is no primary, or does not answer.
   */
  async now(): Promise<Moment> {
    const [found] = await this.#read<Found>(POSITION);
    if (found === undefined) throw new Error('PostgreSQL did not report its position');
    if (found.system !== this.#known?.system || found.timeline !== this.#known.timeline) {
      this.#known = { ...found, mark: await this.#mark(found) };
      // A mark that was made just now comes after that position.
      return this.now();
    }
    return { question: questionOf(found.position, this.#known.mark) };
  }

  async #mark(found: Found): Promise<string> {
    const find = () => this.#read<{ id: string }>(markOf(found));
    const [mark] = await find();
    if (mark !== undefined) return mark.id;
    await this.#write(newMark(found));
    return ((await find())[0] as { id: string }).id;
  }
}

/**
 * Where the primary is, for one who writes nothing: without a moment where no server has made the
 * mark of its timeline yet.
 */
export async function lookForMoment(
  read: Tx['many'],
): Promise<{ system: bigint; moment: Moment | undefined } | undefined> {
  const [found] = await read<Found>(POSITION);
  if (found === undefined) return undefined;
  const [mark] = await read<{ id: string }>(markOf(found));
  const moment = mark && { question: questionOf(found.position, mark.id) };
  return { system: found.system, moment };
}

// A copy of the database has the mark, too, but not on the server that the mark is of.
const questionOf = (position: string, mark: string): Sql => sql`
  select pg_is_in_recovery() as recovering,
         exists (select from database_timeline join pg_control_system() using (system_identifier)
                  where id = ${mark}) as marked,
         coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) as reached`;

/** The same question as another statement, which is sent and answered anew. */
export const again = ({ question }: Moment): Moment => ({
  question: new Sql(question.strings, question.values),
});
