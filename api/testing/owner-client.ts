/**
 * Selects the names of the tables that a refused request must not change. It may write that it was
 * refused, which answer it got, and when its key was used.
 */
export const TABLES = `
  select table_name as name from information_schema.tables
   where table_schema = 'public' and table_type = 'BASE TABLE'
     and table_name not in ('audit_event', 'idempotency_key', 'api_key', 'schema_migration')
       order by 1`;

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
