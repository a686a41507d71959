import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';

/** A point in time as the API writes it: ISO 8601, UTC, milliseconds (ruling 1.15). */
export const timestamp = (options: Type.TSchemaOptions = {}) =>
  Type.String({ ...options, format: 'date-time' });

/** The same, made by PostgreSQL from a timestamptz. */
export const timestampSql = (value: Sql): Sql =>
  sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
