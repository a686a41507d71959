import { type Sql, sql } from '../db/sql.ts';
import { matches } from './preconditions.ts';
import type { Answer } from './route.ts';

/** The row of a statement that shows a resource: its JSON text, and its revision for the ETag. */
export interface Shown {
  item: string;
  revision: string;
}

/** The revision of a row: the time of its last change, in microseconds, as text. */
export const revision = (updatedAt: Sql): Sql =>
  sql`(extract(epoch from ${updatedAt}) * 1000000)::bigint::text`;

/**
 * `current`, a common table expression: the authorized row of a table, locked, as the composite
 * value `row`, and whether it is `expected` by If-Match. It has no row when another request deleted
 * it meanwhile. `id`: the column of `authorized`. `etag`: what the ETag is made of.
 */
export const lockedRow = (
  table: Sql,
  id: Sql,
  ifMatch: string | undefined,
  etag: Sql = revision(sql`t.updated_at`),
): Sql => sql`
  current as materialized (
    select t as row, ${matches(ifMatch, etag)} as expected
      from ${table} t join authorized on t.id = authorized.${id} for update of t)`;

/** The time of a change to a row, always later than its previous change. */
export const changedAt = (updatedAt: Sql): Sql =>
  sql`greatest(clock_timestamp(), ${updatedAt} + interval '1 microsecond')`;

/** A resource with its ETag. `location` is the path of a new one. */
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
 * The values of a partial update: those of `row`, a composite value, replaced by those of
 * `changes`. An omitted field keeps its value, and null clears one (ruling 4.1).
 */
export const withChanges = (row: Sql, changes: object): Sql =>
  sql`jsonb_populate_record(${row}, ${JSON.stringify(changes)}::jsonb)`;
