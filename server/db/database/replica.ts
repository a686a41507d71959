import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../sql.ts';
import type { ClientOptions } from './connection.ts';
import { isConflict, isUnavailable, reasonOf } from './errors.ts';
import { again, type Moment, type Replayed } from './moment.ts';
import { PipelinedGroup } from './pipelined.ts';
import { type SessionOptions, sessionSettings } from './session.ts';
import { verifyGroup } from './verify-session.ts';
import { NoAnswer, SILENT_MS, within } from './within.ts';

/** How far a replica may be behind before the primary answers a read instead. */
const CATCH_UP_MS = 20;
/** A read that takes longer may have got lost: the replica is asked whether it is still there. */
const LONG_READ_MS = 2_000;
/** How often one that is not used is tried, and how long it has to catch up then. */
const RETRY_MS = 1_000;

export interface ReplicaOptions {
  url: string;
  connections: number;
  settings: ClientOptions;
  session: SessionOptions;
  /** The moment at which the primary is now; rejects while there is no primary. */
  now(): Promise<Moment>;
  /** Called with the reason, as a sentence, when it is not used, and with undefined once it is. */
  onChange(fault: string | undefined): void;
}

/** A streaming standby of the database. */
export class Replica {
  /** Host, port and database. */
  readonly name: string;
  /** Whether reads may be given to it. */
  used = false;
  /** Reads that it has answered. */
  reads = 0;
  readonly #options: ReplicaOptions;
  readonly #group: PipelinedGroup;
  readonly #closing = new AbortController();
  /** For a moment that it had not reached: the same one to ask for again once it has. */
  readonly #reached = new WeakMap<Moment, Promise<Moment | undefined>>();
  #told: string | undefined;

  constructor(options: ReplicaOptions) {
    const { host, pathname } = new URL(options.url);
    this.name = host + pathname;
    this.#options = options;
    // A broken connection is noticed by the statements that are sent on it.
    this.#group = new PipelinedGroup(options.connections, options.settings, () => {});
    void this.#tryUntilUsable();
  }

  get unanswered(): number {
    return this.#group.unanswered;
  }

  /**
   * The rows of a statement that only reads, with everything that was committed before `moment`.
   * Undefined when the primary has to answer, because this server is behind, is gone, or refuses
   * the statement.
   */
  async read<Row>(query: Sql, moment: Moment): Promise<Row[] | undefined> {
    try {
      const rows = await this.#readSoon<Row>(query, moment);
      if (rows === undefined) this.#leave();
      else this.reads++;
      return rows;
    } catch (error) {
      // What is wrong with the statement itself, the primary finds, too.
      if (isUnavailable(error) && !isConflict(error)) this.#leave();
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.used = false;
    this.#closing.abort();
    await this.#group.close();
  }

  async #readSoon<Row>(query: Sql, moment: Moment): Promise<Row[] | undefined> {
    const rows = await this.#send<Row>(query, moment);
    if (rows !== undefined) return rows;
    const later = await this.#untilReached(moment);
    return later && this.#send<Row>(query, later);
  }

  // Most of the time it is far enough, so the statement goes with the question. Undefined: it is not.
  async #send<Row>(query: Sql, { question }: Moment): Promise<Row[] | undefined> {
    const { first, rows } = this.#group.queryAfter<Replayed, Row>(question, query);
    rows.catch(() => {});
    if (!isReached(await within(SILENT_MS, first))) return undefined;
    for (;;) {
      try {
        return await within(LONG_READ_MS, rows);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      await within(SILENT_MS, this.#group.query(question));
    }
  }

  // All reads of a moment wait as one.
  #untilReached(moment: Moment): Promise<Moment | undefined> {
    let reached = this.#reached.get(moment);
    if (reached === undefined) {
      reached = this.#askUntilReached(moment, CATCH_UP_MS);
      this.#reached.set(moment, reached);
    }
    return reached;
  }

  async #askUntilReached(moment: Moment, milliseconds: number): Promise<Moment | undefined> {
    const until = performance.now() + milliseconds;
    for (let wait = 1; performance.now() + wait < until; wait *= 2) {
      await pause(wait);
      const replayed = await within(SILENT_MS, this.#group.query<Replayed>(moment.question));
      if (isReached(replayed)) return again(moment);
    }
    return undefined;
  }

  #leave(): void {
    if (!this.used) return;
    this.used = false;
    void this.#tryUntilUsable();
  }

  async #tryUntilUsable(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const { usable, fault } = await this.#look();
      if (signal.aborted) return;
      if (fault !== this.#told) this.#options.onChange(fault);
      this.#told = fault;
      this.used = usable;
      if (usable) return;
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #look(): Promise<{ usable: boolean; fault: string | undefined }> {
    try {
      const fault = await this.#faultAt(await this.#options.now());
      return { usable: fault === undefined, fault };
    } catch (error) {
      // While the primary cannot be reached, nothing can be said of a replica.
      const fault = isUnavailable(error) ? this.#told : `the primary says: ${reasonOf(error)}`;
      return { usable: false, fault };
    }
  }

  /** Why it cannot be used, as a sentence. */
  async #faultAt(moment: Moment): Promise<string | undefined> {
    try {
      const [replayed] = await within(SILENT_MS, this.#group.query<Replayed>(moment.question));
      if (replayed?.recovering !== true) return 'it is no standby';
      const ask = <Row>(query: Sql) => within(SILENT_MS, this.#group.query<Row>(query));
      const { session } = this.#options;
      await verifyGroup(ask, sessionSettings(session, 'readers'), session.pooler === 'transaction');
      if (isReached([replayed]) || (await this.#askUntilReached(moment, RETRY_MS)))
        return undefined;
      return replayed.marked
        ? 'it is more than a second behind'
        : 'it is far behind, or follows another primary than that of DATABASE_URL';
    } catch (error) {
      return reasonOf(error);
    }
  }
}

const isReached = ([replayed]: Replayed[]): boolean =>
  replayed?.recovering === true && replayed.marked && replayed.reached;
