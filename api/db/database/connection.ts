import pg from 'pg';
import { type Sql, statement } from '../sql.ts';

// PostgreSQL's own time-outs come first. An answer that is missing for so much longer will not come: the server or the
// way to it is gone without a word.
export const SILENCE = 5_000;

/** A statement that took longer than it should: its text on one line, cut short, and no values. */
export interface SlowStatement {
  milliseconds: number;
  statement: string;
}

/** Who follows what the database is asked, without its values. */
export interface DatabaseTrace {
  /** A statement begins; what is returned is called at its end. */
  statement(text: string): ((error?: unknown) => void) | undefined;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface ClientOptions extends pg.ClientConfig {
  /** Milliseconds; 0 tells of none. */
  slowAfter?: number;
  onSlow?: ((slow: SlowStatement) => void) | undefined;
  trace?: DatabaseTrace | undefined;
}

const SHOWN = 500;

/**
 * A connection that tells of slow statements, and that can be closed also when the other side is gone without a word: after
 * a while no goodbye is awaited.
 */
export class Client extends pg.Client {
  readonly #slowAfter: number;
  readonly #onSlow: ClientOptions['onSlow'];
  readonly #trace: ClientOptions['trace'];

  constructor(options: ClientOptions = {}) {
    super(options);
    this.#slowAfter = options.slowAfter ?? 0;
    this.#onSlow = options.onSlow;
    this.#trace = options.trace;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads this method seven ways, and each goes through here.
  override query(...sent: any[]): any {
    const traced = this.#trace?.statement(textOf(sent[0]));
    const answer = super.query(...(sent as [never])) as unknown as Promise<unknown>;
    if (traced !== undefined) answer.then(() => traced(), traced);
    if (this.#onSlow === undefined || this.#slowAfter === 0) return answer;
    const began = performance.now();
    const told = () => this.#tell(performance.now() - began, sent[0]);
    answer.then(told, told);
    return answer;
  }

  #tell(milliseconds: number, sent: string | { text: string }): void {
    if (milliseconds < this.#slowAfter) return;
    const text = textOf(sent).replaceAll(/\s+/g, ' ').trim();
    this.#onSlow?.({ milliseconds: Math.round(milliseconds), statement: text.slice(0, SHOWN) });
  }

  override end(done?: unknown): Promise<void> {
    const timer = setTimeout(() => this.connection.stream.destroy(), SILENCE).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(done as never) as never;
  }
}

const textOf = (sent: string | { text: string }): string =>
  typeof sent === 'string' ? sent : sent.text;

/** One pipelined connection, made on first use and made anew after it broke. */
export class Reader {
  readonly #settings: ClientOptions;
  readonly #onError: (error: Error) => void;
  #client: Promise<Client> | undefined;

  constructor(settings: ClientOptions, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  async query(query: Sql) {
    this.#client ??= this.#connect();
    return (await this.#client).query(statement(query));
  }

  #connect(): Promise<Client> {
    const client = new Client({ ...this.#settings, pipeline: true } as ClientOptions);
    const connected = client.connect().then(() => client);
    // Told twice of one break; by the second time its successor may be there.
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

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}
