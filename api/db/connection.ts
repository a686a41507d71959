import pg from 'pg';
import { type Sql, statement } from './sql.ts';

// PostgreSQL's own time-outs come first. An answer that is missing for so much longer will not come: the server or the
// way to it is gone without a word.
export const SILENCE = 5_000;

/** A connection that can be closed also when the other side is gone without a word: after a while no goodbye is awaited. */
export class Client extends pg.Client {
  override end(done?: unknown): Promise<void> {
    const timer = setTimeout(() => this.connection.stream.destroy(), SILENCE).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(done as never) as never;
  }
}

/** One pipelined connection, made on first use and made anew after it broke. */
export class Reader {
  readonly #settings: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  #client: Promise<Client> | undefined;

  constructor(settings: pg.ClientConfig, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  async query(query: Sql) {
    this.#client ??= this.#connect();
    return (await this.#client).query(statement(query));
  }

  #connect(): Promise<Client> {
    const client = new Client({ ...this.#settings, pipeline: true } as pg.ClientConfig);
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
