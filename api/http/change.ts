import { type Sql, sql } from '../db/sql.ts';
import type { Answer } from './route.ts';

/** The row of a statement that shows a resource: its JSON text, and its revision for the ETag. */
export interface Shown {
  item: string;
  revision: string;
}

/** The revision of a row: the time of its last change, in microseconds, as text. */
export const revision = (updatedAt: Sql): Sql =>
  sql`(extract(epoch from ${updatedAt}) * 1000000)::bigint::text`;

/** The time of a change to a row, later than that of the change before it. */
export const changedAt = (updatedAt: Sql): Sql =>
  sql`greatest(clock_timestamp(), ${updatedAt} + interval '1 microsecond')`;

/** A resource with its ETag. `location`: where a new one is. */
export const shownAs = (
  status: 200 | 201,
  { item, revision }: Shown,
  location?: string,
): Answer => ({
  status,
  body: item,
  headers: { etag: `"${revision}"`, ...(location === undefined ? {} : { location }) },
});

/**
 * The values of a partial update: those of `row`, a composite value, and in their place those of `changes`. A field that
 * is left out keeps its value, and null clears one (ruling 4.1).
 */
export const withChanges = (row: Sql, changes: object): Sql =>
  sql`jsonb_populate_record(${row}, ${JSON.stringify(changes)}::jsonb)`;
