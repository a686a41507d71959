import type { Sql } from '../sql.ts';
import type { ClientOptions } from './connection.ts';
import { isUnavailable } from './errors.ts';
import { type Moment, Moments } from './moment.ts';
import { Replica } from './replica.ts';
import type { SessionOptions } from './session.ts';
import type { Tx } from './transaction.ts';
import { SILENT_MS, within } from './within.ts';

export interface ReplicasOptions {
  urls: readonly string[];
  /** Connections to each. */
  connections: number;
  /** Those of a connection to this address. */
  settings(url: string): ClientOptions;
  session: SessionOptions;
  /** Statements on the primary: that only read, and that write. */
  primary: { read: Tx['many']; write: Tx['many'] };
  /** Told why a replica is not used, as a sentence, and with undefined once it is. */
  onChange(name: string, fault: string | undefined): void;
}

/**
 * Reads by streaming standbys, which see everything that was committed before they began
 * (docs/decisions/0108).
 */
export class Replicas {
  readonly all: readonly Replica[];
  readonly #moments: Moments;
  #turn = 0;
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<Moment> | undefined;

  constructor(options: ReplicasOptions) {
    this.#moments = new Moments(options.primary);
    this.all = options.urls.map((url) => {
      const replica: Replica = new Replica({
        ...options,
        url,
        settings: options.settings(url),
        now: () => this.#now(),
        onChange: (fault) => options.onChange(replica.name, fault),
      });
      return replica;
    });
  }

  /**
   * The rows of a statement that only reads, or undefined when the primary has to answer. Throws
   * what keeps the primary from saying where it is, such as a lost connection: it could not answer
   * either.
   */
  async read<Row>(query: Sql): Promise<Row[] | undefined> {
    if (!this.all.some((each) => each.used)) return undefined;
    try {
      const moment = await this.#now();
      return await this.#leastBusy()?.read(query, moment);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // A standby, to which the address of the primary leads during a fail-over.
      return undefined;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((each) => each.close()));
  }

  // In turns where all are equal.
  #leastBusy(): Replica | undefined {
    this.#turn++;
    let found: Replica | undefined;
    for (const at of this.all.keys()) {
      const each = this.all[(at + this.#turn) % this.all.length] as Replica;
      if (each.used && (found === undefined || each.unanswered < found.unanswered)) found = each;
    }
    return found;
  }

  /**
   * The moment at which the primary is now. One question is on its way at a time; those who come
   * meanwhile share the next. It does not wait long for one that may have got lost: its connection
   * may be dead, and the next one is not.
   */
  #now(): Promise<Moment> {
    this.#next ??= this.#asked.then(() => {
      const moment = this.#moments.now();
      this.#asked = within(SILENT_MS, moment).catch(() => {});
      this.#next = undefined;
      return moment;
    });
    return this.#next;
  }
}
