import pg from 'pg';

/** A statement as it went to PostgreSQL. `name` is missing where it was not prepared. */
export interface Sent {
  text: string;
  name?: string | undefined;
  values: unknown[];
}

/**
 * Calls `onStatement` for everything that this process sends through `pg`: each is one round trip.
 */
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

/**
 * The plan of a statement whatever its parameters are, on a connection with `plan_cache_mode =
 * force_generic_plan`. EXPLAIN (GENERIC_PLAN) does the same from PostgreSQL 16 on.
 */
export async function genericPlan(client: pg.Client, text: string): Promise<string> {
  await client.query(`prepare planned as ${text}`);
  const { rows: parameters } = await client.query<{ values: string | null }>(`
    select '(' || nullif(array_to_string(array_fill('null'::text,
      array[cardinality(parameter_types)]), ', '), '') || ')'
             as values
      from pg_prepared_statements where name = 'planned'`);
  const { rows } = await client.query(
    `explain (costs off) execute planned${parameters[0]?.values ?? ''}`,
  );
  await client.query('deallocate planned');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
