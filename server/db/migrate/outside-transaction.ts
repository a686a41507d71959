import type pg from 'pg';
import type { Migration } from './files.ts';

/**
 * Runs a migration whose first line is `-- run outside a transaction`. Each statement must be one
 * of two forms that can be run again after an interruption:
 *
 *     create [unique] index concurrently name on …;
 *     drop index concurrently if exists name;
 *
 * An index that an earlier run completed is left as it is. One that it left unfinished, which
 * PostgreSQL calls invalid, is dropped and built again. Both statements let everyone read and write
 * meanwhile, so that they may wait for as long as it takes. On a failure the unfinished index is
 * dropped, and the indexes before it stay for the next run.
 */
export async function runOutsideTransaction(
  connect: () => Promise<pg.Client>,
  migration: Migration,
): Promise<void> {
  const statements = statementsOf(migration);
  const client = await connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('set lock_timeout = 0');
    for (const statement of statements) await run(client, migration, statement);
  } finally {
    // Behind a pooler the session goes on to somebody else.
    await client.query('reset statement_timeout').catch(() => {});
    await client.query('reset lock_timeout').catch(() => {});
    await client.end();
  }
}

interface Statement {
  text: string;
  /** The name of the index. */
  creates: string | undefined;
  line: number;
}

async function run(client: pg.Client, { name }: Migration, statement: Statement): Promise<void> {
  const { text, creates, line } = statement;
  if (creates !== undefined && (await indexState(client, creates)) === 'valid') return;
  try {
    await dropIfInvalid(client, creates);
    await client.query(text);
  } catch (error) {
    // Where the connection is lost, the next run does this.
    await dropIfInvalid(client, creates).catch(() => {});
    throw new Error(`${name}, line ${line}: ${(error as Error).message}`, { cause: error });
  }
}

async function dropIfInvalid(client: pg.Client, name: string | undefined): Promise<void> {
  if (name !== undefined && (await indexState(client, name)) === 'invalid')
    await client.query(`drop index concurrently ${name}`);
}

async function indexState(client: pg.Client, name: string): Promise<'valid' | 'invalid' | 'none'> {
  const { rows } = await client.query(
    'select indisvalid and indisready as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  return rows.length === 0 ? 'none' : rows[0].valid ? 'valid' : 'invalid';
}

const CREATE = /^create (?:unique )?index concurrently (\w+) on /i;
const DROP = /^drop index concurrently if exists \w+$/i;

/** Throws an Error that names the line when a statement has another form. */
export function statementsOf({ name, text }: Migration): Statement[] {
  const statements: Statement[] = [];
  let line = 1;
  for (const part of text.replaceAll(/--.*$/gm, '').split(';')) {
    const statement = part.trim().replaceAll(/\s+/g, ' ');
    const begins = line + part.slice(0, part.search(/\S|$/)).split('\n').length - 1;
    line += part.split('\n').length - 1;
    if (statement === '') continue;
    const creates = CREATE.exec(statement)?.[1];
    if (creates === undefined && !DROP.test(statement))
      throw new Error(
        `${name}, line ${begins}: outside a transaction only "create index concurrently name on …" and ` +
          '"drop index concurrently if exists name" can be run again after an interruption.',
      );
    statements.push({ text: statement, creates, line: begins });
  }
  return statements;
}
