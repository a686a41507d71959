import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/**
 * The statements that the server of the last release sends, one per line, written by `npm run
 * statements`.
 */

export const STATEMENTS_FILE = join(import.meta.dirname, '../../db/previous-statements.jsonl');

export interface Statement {
  text: string;
  /** What PostgreSQL takes its parameters for, and what it answers with. */
  parameters: string[];
  results: string[];
  /** What its inserts leave to triggers: columns that may not be null and have no default. */
  leftOut: string[];
}

export async function readStatements(): Promise<Statement[]> {
  const lines = (await readFile(STATEMENTS_FILE, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/**
 * The statement with its types, as the role of the server may run it now. Throws PostgreSQL's error
 * when it may not.
 */
export async function describe(client: pg.Client, text: string): Promise<Statement> {
  // A rollback leaves them.
  await client.query('deallocate all');
  await client.query(`prepare previous as ${text}`);
  // PostgreSQL 15 has no column result_types, so it is looked up by name; there it is empty.
  const { rows } = await client.query<{ parameters: string[]; results: string[] }>(`
    select parameter_types::text[] as parameters,
           array(select jsonb_array_elements_text(nullif(to_jsonb(s) -> 'result_types',
             'null'))) as results
      from pg_prepared_statements s where name = 'previous'`);
  const { parameters = [], results = [] } = rows[0] ?? {};
  const values = parameters.length === 0 ? '' : `(${parameters.map(() => 'null').join(', ')})`;
  // Only a plan that is about to be carried out has its rights checked.
  await client.query(`explain (costs off) execute previous${values}`);
  return { text, parameters, results, leftOut: await leftOut(client, text) };
}

/** Connects as the server does: with its role, and one plan for all parameters. */
export async function asServer(url: string): Promise<pg.Client> {
  const options = '-c role=guildhall_app -c plan_cache_mode=force_generic_plan -c timezone=UTC';
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  return client;
}

/** What the last release could no longer do, or would get in another form. */
export async function broken(client: pg.Client, statements: Statement[]): Promise<string[]> {
  const found: string[] = [];
  for (const { text, ...before } of statements) {
    await client.query('savepoint one');
    const fault = await describe(client, text).then(
      ({ text: _, ...now }) => {
        const [was, is] = [before, now].map((types) => JSON.stringify(types));
        return was === is ? undefined : `${was} became ${is}`;
      },
      (error: Error) => error.message,
    );
    await client.query('rollback to one');
    if (fault !== undefined) found.push(`${fault}: ${text}`);
  }
  return found;
}

async function leftOut(client: pg.Client, text: string): Promise<string[]> {
  const missed: string[] = [];
  for (const [, table, columns = ''] of text.matchAll(
    /insert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*\(([^)]*)\)/gi,
  )) {
    const given = columns.split(',').map((column) => column.trim());
    const { rows } = await client.query<{ name: string }>(
      `select attrelid::regclass || '.' || attname as name from pg_attribute
        where attrelid = to_regclass($1) and attnum > 0 and attnotnull and not atthasdef
          and attidentity = ''
          and attname <> all ($2)
        order by attnum`,
      [table, given],
    );
    missed.push(...rows.map(({ name }) => name));
  }
  return missed;
}
