import type { Writable } from 'node:stream';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { connectSingle } from '../database/single-connection.ts';
import { AS_TEXT, named, type Table, tablesOf, WITHOUT_LIMITS } from './tables.ts';

/** A transaction that replaces what all tables of a migrated database hold. */
export interface Load {
  /** What COPY wrote of a table. `rows` is their number once all were written. */
  write(table: Table): { bytes: Writable; rows(): number };
  /** Checks every reference between the tables, and commits. */
  commit(): Promise<void>;
  /** Without a commit before it, nothing has changed. */
  close(): Promise<void>;
}

/**
 * Begins to load tables that were copied out of the same schema. The rows come in the order of
 * names, and each has been through the triggers before: until the end no trigger fires, and no table
 * refers to another. PostgreSQL then checks all references anew, and checks, keys and exclusions at
 * each row. The login must be the owner of the tables. Throws an Error if a table is unknown here.
 */
export async function beginLoad(
  url: string,
  tables: readonly Table[],
  connectTimeout?: number,
): Promise<Load> {
  const client = await connectSingle(url, { applicationName: 'guildhall restore', connectTimeout });
  try {
    await client.query(`${AS_TEXT}; ${WITHOUT_LIMITS}`);
    const here = await tablesOf(client);
    requireKnown(tables, here);
    await client.query('begin');
    const { rows: references } = await client.query<Reference>(REFERENCES);
    for (const { table, name } of references)
      await client.query(`alter table ${table} drop constraint ${name}`);
    const all = here.map(({ name }) => pg.escapeIdentifier(name));
    for (const table of all) await client.query(`alter table ${table} disable trigger user`);
    // Migrations write a few rows of their own, which are among those that come.
    await client.query(`truncate ${all.join(', ')}`);
    return {
      write: (table) => {
        const bytes = client.query(from(`copy ${named(table)} from stdin`));
        return { bytes, rows: () => bytes.rowCount };
      },
      commit: async () => {
        for (const { table, name, text } of references)
          await client.query(`alter table ${table} add constraint ${name} ${text}`);
        for (const table of all) await client.query(`alter table ${table} enable trigger user`);
        await client.query('commit');
        await client.query(`analyze ${all.join(', ')}`);
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

function requireKnown(tables: readonly Table[], here: readonly Table[]): void {
  for (const { name, columns } of tables) {
    const known = here.find((one) => one.name === name);
    const missing = columns.find((column) => known?.columns.includes(column) !== true);
    if (missing !== undefined)
      throw new Error(`The table ${name} has no column ${missing} in this version.`);
  }
}

interface Reference {
  table: string;
  name: string;
  text: string;
}

const REFERENCES = `
  select conrelid::regclass::text as table, quote_ident(conname) as name,
         pg_get_constraintdef(oid) as text
    from pg_constraint
   where contype = 'f' and connamespace = current_schema()::regnamespace
   order by 1, 2`;
