import pg from 'pg';
import type { Sent } from './statements.ts';

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** The rows of a table that a plan read, also those that it threw away. */
const rowsIn = (node: Node, table: string): number =>
  (node['Relation Name'] === table
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0) + (node.Plans ?? []).reduce((sum, plan) => sum + rowsIn(plan, table), 0);

/**
 * Runs a statement once more, planned as servers have it planned, on a new connection. The answer
 * tells how many rows of a table it read.
 */
export async function rowsRead(
  databaseUrl: string,
  statement: Sent,
): Promise<(table: string) => number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query({ ...statement, name: 'planned' } as pg.QueryConfig);
    const values = statement.values.map((value) =>
      Buffer.isBuffer(value)
        ? `'\\x${value.toString('hex')}'`
        : Array.isArray(value)
          ? `'{${value.join(',')}}'`
          : value === null
            ? 'null'
            : client.escapeLiteral(String(value)),
    );
    const { rows } = await client.query(
      `explain (analyze, format json) execute planned(${values.join(', ')})`,
    );
    const { Plan } = rows[0]['QUERY PLAN'][0];
    return (table) => rowsIn(Plan, table);
  } finally {
    await client.end();
  }
}
