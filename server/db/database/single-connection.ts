import pg from 'pg';

export interface SingleConnectionOptions {
  /** Milliseconds until the login must be complete; 5,000 by default. */
  connectTimeout?: number | undefined;
  applicationName?: string;
  /** False: never encrypted, whatever the environment says. */
  ssl?: false;
  /** Closes the connection at once, whatever it is doing; its statement rejects with the reason. */
  signal?: AbortSignal | undefined;
}

/**
 * One connection for work that a pool cannot do; the caller ends it. Throws an Error with the code
 * ETIMEDOUT, which names host and port, when nothing answers there in time. A connection that is
 * lost later is reported by the next statement.
 */
export async function connectSingle(
  url: string,
  options: SingleConnectionOptions = {},
): Promise<pg.Client> {
  const { connectTimeout = 5_000, applicationName = 'guildhall', ssl, signal } = options;
  signal?.throwIfAborted();
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeout,
    ...(ssl === undefined ? {} : { ssl }),
  });
  client.on('error', () => {});
  const close = () => client.connection.stream.destroy(signal?.reason);
  signal?.addEventListener('abort', close);
  client.once('end', () => signal?.removeEventListener('abort', close));
  await client.connect().catch((error) => {
    signal?.throwIfAborted();
    throw isTimeout(error) ? noAnswer(client, connectTimeout) : error;
  });
  return client;
}

/** What `pg` says when its own time-out ends the login. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout expired';

const noAnswer = ({ host, port }: pg.Client, milliseconds: number): Error =>
  Object.assign(new Error(`no answer from ${host}:${port} within ${milliseconds} ms`), {
    code: 'ETIMEDOUT',
  });
