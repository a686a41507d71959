/**
 * Selects the names of the tables that a refused request must not change. It may write that it was
 * refused, which answer it got, and when its key was used.
 */
export const TABLES = `
  select table_name as name from information_schema.tables
   where table_schema = 'public' and table_type = 'BASE TABLE'
     and table_name not in ('audit_event', 'idempotency_key', 'api_key', 'schema_migration')
       order by 1`;

/** Selects a digest of the rows of each table: `name`, `digest`. */
export function digestOf(tables: readonly string[]): string {
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

/** Runs one statement as the owner of the tables. */
export async function ownerClient(url: string, text: string, values: unknown[] = []) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}
