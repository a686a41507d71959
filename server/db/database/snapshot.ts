import type pg from 'pg';
import { type Sql, sql, sqlText, statement } from '../sql.ts';
import { isLost } from './errors.ts';

/** One moment of the database, which any number of statements may read. */
export interface Snapshot {
  /** The rows of a statement in batches, none of which is empty. One statement at a time. */
  rows<Row>(query: Sql): AsyncGenerator<Row[], void>;
}

const BATCH = 500;
const FETCH = sqlText(`fetch ${BATCH} from batches`);

/**
 * What `work` yields while it reads one moment of the database (REPEATABLE READ, read-only). The
 * transaction ends with it, also when its reader stops early.
 */
export async function* snapshot<Item>(
  client: pg.PoolClient,
  work: (tx: Snapshot) => AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  const query = async <Row>(text: Sql) => (await client.query(statement(text))).rows as Row[];
  async function* rows<Row>(select: Sql): AsyncGenerator<Row[], void> {
    await query(sql`declare batches no scroll cursor for ${select}`);
    let batch: Row[];
    do {
      batch = await query<Row>(FETCH);
      if (batch.length > 0) yield batch;
    } while (batch.length === BATCH);
    await query(sql`close batches`);
  }
  let lost = false;
  await client.query('begin isolation level repeatable read read only');
  try {
    yield* work({ rows });
  } catch (error) {
    lost = isLost(error);
    throw error;
  } finally {
    // Nothing was written, so there is nothing to commit.
    if (!lost) await client.query('rollback');
  }
}
