import pg from 'pg';

/** A statement as it went to PostgreSQL. `name` is missing where it was not prepared. */
export interface Sent {
  text: string;
  name?: string | undefined;
  values: unknown[];
}

/** Calls `onStatement` for everything that this process sends through `pg`: each is one round trip. */
export function watchStatements(onStatement: (sent: Sent) => void): void {
  const { prototype } = pg.Client;
  const query = prototype.query as (...args: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [string | { text: string; name?: string; values?: unknown[] }];
    if (typeof config === 'string') onStatement({ text: config, values: [] });
    else onStatement({ text: config.text, name: config.name, values: config.values ?? [] });
    return query.apply(this, args);
  } as typeof prototype.query;
}
