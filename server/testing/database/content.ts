import pg from 'pg';

/** What was written to the tables of a database, as far as a refused request must not change it. */
export interface Content {
  /** What differs once a row of the table was written, by the name of the table. */
  digest(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** It is connected and prepared once: tests compare digests before and after hundreds of requests. */
export function contentOf(url: string): Content {
  let opened: Promise<{ client: pg.Client; text: string }> | undefined;

  const open = async () => {
    const client = new pg.Client(url);
    // PostgreSQL may be stopped between two digests: the next one connects again.
    client.on('error', () => (opened = undefined));
    await client.connect();
    // A plan with a hundred tables looks large enough for parallel workers, whose start takes sixty
    // times as long as the digest.
    await client.query('set max_parallel_workers_per_gather = 0');
    const tables = await client.query<{ name: string }>(TABLES);
    return { client, text: digestOf(tables.rows.map(({ name }) => name)) };
  };

  return {
    async digest() {
      opened ??= open();
      const { client, text } = await opened;
      const { rows } = await client.query({ name: 'digest', text });
      return Object.fromEntries(rows.map((row) => [row.name, row.digest]));
    },
    async close() {
      await (await opened?.catch(() => undefined))?.client.end();
    },
  };
}

/** A refused request may write that it was refused, which answer it got, and when its key was used. */
const TABLES = `
  select table_name as name from information_schema.tables
   where table_schema = 'public' and table_type = 'BASE TABLE'
     and table_name not in ('audit_event', 'idempotency_key', 'api_key', 'schema_migration')
       order by 1`;

/**
 * The number of the rows of each table and the sum of the transactions that wrote them: whatever is
 * written changes one of them, and neither has to read what the rows hold.
 */
const WRITTEN = "concat(count(*), ' rows by ', sum(xmin::text::bigint))";

/** When a session was last used is written every few seconds, whatever the request was. */
const SESSIONS = "md5(string_agg((to_jsonb(t) - 'last_seen_at')::text, E'\\n' order by id))";

const digestOf = (tables: readonly string[]): string =>
  tables
    .map(
      (name) =>
        `select '${name}' as name, ${name === 'session' ? SESSIONS : WRITTEN} as digest from ${name} t`,
    )
    .join(' union all ');
