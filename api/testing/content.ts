import pg from 'pg';

/** What the tables of a database hold, as far as a refused request must not change it. */
export interface Content {
  /** A digest of the rows of each table, by its name. */
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

function digestOf(tables: readonly string[]): string {
  // When a session was last used is written every few seconds, whatever the request was.
  const rowOf = (name: string) =>
    name === 'session' ? "(to_jsonb(t) - 'last_seen_at')::text" : 't::text';
  return tables
    .map(
      (name) =>
        `select '${name}' as name,
                md5(coalesce(string_agg(${rowOf(name)}, E'\\n' order by ${rowOf(name)}), ''))
                  as digest
           from ${name} t`,
    )
    .join(' union all ');
}
