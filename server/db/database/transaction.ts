import type pg from 'pg';
import { type Sql, statement } from '../sql.ts';
import { queryTimeout } from './connection.ts';
import { isLost } from './errors.ts';

/** What an operation may do inside a transaction. */
export interface Tx {
  /** All rows of one statement. */
  many<Row>(query: Sql): Promise<Row[]>;
  /** The only row; throws when there is none or more than one. */
  one<Row>(query: Sql): Promise<Row>;
  /** The row, or nothing. */
  maybeOne<Row>(query: Sql): Promise<Row | undefined>;
}

/**
 * Runs `work` between BEGIN and COMMIT on this connection; what it throws rolls everything back.
 */
export async function transaction<Result>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<Result>,
  statementTimeout: number | undefined,
): Promise<Result> {
  const timing =
    statementTimeout === undefined ? {} : { query_timeout: queryTimeout(statementTimeout) };
  const many = async <Row>(query: Sql) =>
    (await client.query({ ...statement(query), ...timing })).rows as Row[];
  await client.query('begin');
  try {
    if (statementTimeout !== undefined)
      await client.query(`set local statement_timeout = ${Number(statementTimeout)}`);
    const result = await work({ many, ...single(many) });
    const { command } = await client.query({ text: 'commit', ...timing });
    if (command !== 'COMMIT')
      throw new Error('rolled back: a statement failed and the work went on');
    return result;
  } catch (error) {
    if (!isLost(error)) await client.query('rollback'); // closing a lost one does the same
    throw error;
  }
}

/** `one` and `maybeOne` on top of `many`. */
export function single(many: Tx['many']): Pick<Tx, 'one' | 'maybeOne'> {
  const maybeOne = async <Row>(query: Sql): Promise<Row | undefined> => {
    const rows = await many<Row>(query);
    if (rows.length > 1) throw new Error(`one row expected, ${rows.length} returned`);
    return rows[0];
  };
  const one = async <Row>(query: Sql): Promise<Row> => {
    const row = await maybeOne<Row>(query);
    if (row === undefined) throw new Error('one row expected, none returned');
    return row;
  };
  return { one, maybeOne };
}
