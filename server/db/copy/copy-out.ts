import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { connectSingle } from '../database/single-connection.ts';
import { AS_TEXT, named, type Table, tablesOf, WITHOUT_LIMITS } from './tables.ts';

/** All of a database at one moment. */
export interface Snapshot {
  /** The migrations that were applied, in their order. */
  migrations: { name: string; sha256: string }[];
  tables: Table[];
  /** The rows of a table, as COPY writes them. `rows` is their number once all were read. */
  read(table: Table): { bytes: Readable; rows(): number };
  /** The rows of a query, some at a time. */
  pages<Row>(text: string): AsyncGenerator<Row[]>;
  close(): Promise<void>;
}

const PAGE = 1_000;

/** Opens a snapshot. The login must be the owner of the tables. */
export async function openSnapshot(url: string, connectTimeout?: number): Promise<Snapshot> {
  const client = await connectSingle(url, { applicationName: 'guildhall backup', connectTimeout });
  try {
    await client.query(`${AS_TEXT}; ${WITHOUT_LIMITS}`);
    await client.query('begin isolation level repeatable read read only');
    // The first statement fixes what all of them see.
    const { rows: migrations } = await client.query<Snapshot['migrations'][number]>(
      'select name, sha256 from schema_migration order by name collate "C"',
    );
    const tables = await tablesOf(client);
    return {
      migrations,
      tables,
      read: (table) => {
        const bytes = client.query(to(`copy ${named(table)} to stdout`));
        return { bytes, rows: () => bytes.rowCount };
      },
      pages: (text) => pages(client, text),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function* pages<Row>(client: pg.Client, text: string): AsyncGenerator<Row[]> {
  await client.query(`declare pages no scroll cursor for ${text}`);
  try {
    for (;;) {
      const { rows } = await client.query(`fetch ${PAGE} from pages`);
      if (rows.length > 0) yield rows as Row[];
      if (rows.length < PAGE) break;
    }
  } finally {
    // After an error the transaction is over, and the cursor with it.
    await client.query('close pages').catch(() => {});
  }
}
