import { type Sql, statement } from '../sql.ts';
import { Client, type ClientOptions } from './connection.ts';
import { isLost } from './errors.ts';

/**
 * A few connections that share all statements given to them. A connection sends each statement at
 * once and does not wait for the answers to those before it, so nothing that belongs to one caller
 * (a transaction, a setting) may run here.
 */
export class PipelinedGroup {
  readonly #connections: PipelinedConnection[];
  #turn = 0;

  constructor(size: number, settings: ClientOptions, onError: (error: Error) => void) {
    this.#connections = Array.from(
      { length: size },
      () => new PipelinedConnection(settings, onError),
    );
  }

  query<Row>(query: Sql): Promise<Row[]> {
    return this.#leastBusy().query<Row>(query);
  }

  /**
   * Sends `query` right behind `first` on the same connection, so that it sees what `first` has seen,
   * and maybe more. Callers with the same `first` (the object, not its text) share its answer.
   */
  queryAfter<First, Row>(
    first: Sql,
    query: Sql,
  ): { first: Promise<First[]>; rows: Promise<Row[]> } {
    return this.#leastBusy().queryAfter(first, query);
  }

  /** Statements that were sent and not answered yet. */
  get unanswered(): number {
    return this.#connections.reduce((sum, each) => sum + each.unanswered, 0);
  }

  // A statement that waits delays those behind it, so they take another connection; in turns where
  // all are equal.
  #leastBusy(): PipelinedConnection {
    const all = this.#connections;
    this.#turn = (this.#turn + 1) % all.length;
    let found = all[this.#turn] as PipelinedConnection;
    for (const each of all) if (each.unanswered < found.unanswered) found = each;
    return found;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((each) => each.close()));
  }
}

/** Connects on first use, and again after the connection broke. */
class PipelinedConnection {
  /** Statements that were sent and not answered yet. */
  unanswered = 0;
  readonly #settings: ClientOptions;
  readonly #onError: (error: Error) => void;
  #client: Promise<Client> | undefined;
  /** The last statement that another followed, and the connection that it was sent on. */
  #first: { query: Sql; client: Promise<Client>; rows: Promise<unknown[]> } | undefined;
  #ending: Promise<void> | undefined;
  #closed = false;

  constructor(settings: ClientOptions, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  async query<Row>(query: Sql): Promise<Row[]> {
    this.unanswered++;
    this.#client ??= this.#connect();
    const connected = this.#client;
    try {
      return (await (await connected).query(statement(query))).rows as Row[];
    } catch (error) {
      if (isLost(error) && this.#client === connected) this.#replace();
      throw error;
    } finally {
      this.unanswered--;
    }
  }

  // Both are given to one connection before anything else can happen to it.
  queryAfter<First, Row>(
    first: Sql,
    query: Sql,
  ): { first: Promise<First[]>; rows: Promise<Row[]> } {
    this.#client ??= this.#connect();
    if (this.#first?.query !== first || this.#first.client !== this.#client)
      this.#first = { query: first, client: this.#client, rows: this.query(first) };
    return { first: this.#first.rows as Promise<First[]>, rows: this.query(query) };
  }

  // The next statement connects anew. The old connection still answers what it was sent.
  #replace(): void {
    this.#ending = this.#end();
    this.#client = undefined;
  }

  #connect(): Promise<Client> {
    // A statement that comes after the end would open a connection that is never closed.
    if (this.#closed) return Promise.reject(new Error('the connection was closed'));
    const client = new Client({ ...this.#settings, pipeline: true } as ClientOptions);
    const connected = client.connect().then(() => client);
    // Called twice for one break, the second time perhaps after a new connection took its place.
    const forget = () => {
      if (this.#client === connected) this.#client = undefined;
    };
    client.on('error', (error) => {
      forget();
      this.#onError(error);
    });
    client.on('end', forget);
    connected.catch(forget);
    return connected;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#end();
  }

  async #end(): Promise<void> {
    const ending = this.#ending;
    const client = await this.#client?.catch(() => undefined);
    await Promise.all([ending, client?.end()]);
  }
}
