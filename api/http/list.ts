import { nothing, type Sql, sql } from '../db/sql.ts';
import { decodeCursor, nextLink } from './paging.ts';
import type { Answer } from './route.ts';

/**
 * One part of a list's sort order. All parts sort in the same direction; the last one is unique.
 */
export interface OrderKey {
  by: Sql;
  type: 'text' | 'uuid' | 'timestamptz' | 'integer' | 'bigint';
}

/** The definition of a list. `rows`: `from … where …`, which may join `authorized`. */
export interface ListParts {
  json: Sql;
  rows: Sql;
  order: readonly OrderKey[];
  descending?: boolean;
}

/**
 * The row of a list's statement: the answer's text, and the sort key of the last row if more
 * follow.
 */
export interface Listed {
  items: string;
  last: string[] | null;
}

const PATTERNS: Record<OrderKey['type'], RegExp> = {
  text: /^/,
  uuid: /^[0-9a-f-]{36}$/,
  timestamptz: /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/,
  integer: /^-?\d{1,9}$/,
  bigint: /^-?\d{1,18}$/,
};

const CASTS: Record<OrderKey['type'], Sql> = {
  text: sql`::text`,
  uuid: sql`::uuid`,
  timestamptz: sql`::timestamptz`,
  integer: sql`::integer`,
  bigint: sql`::bigint`,
};

/**
 * The select of a list (ruling 1.13): complete, or a page of `limit` rows after `cursor`, as JSON
 * text from PostgreSQL. Errors: 422 cursor_invalid.
 */
export function listed(
  { json, rows, order, descending = false }: ListParts,
  { limit, cursor }: { limit?: number; cursor?: string },
): Sql {
  const after = decodeCursor(
    cursor,
    order.map(({ type }) => PATTERNS[type]),
  );
  const keys = commas(order.map(({ by }) => by));
  const sorted = commas(order.map(({ by }) => (descending ? sql`${by} desc` : by)));
  const start =
    after === undefined
      ? nothing
      : sql`and (${keys}) ${descending ? sql`<` : sql`>`} (${commas(
          order.map(({ type }, i) => sql`${after[i]}${CASTS[type]}`),
        )})`;
  if (limit === undefined)
    return sql`
      select '[' || coalesce(string_agg(${json}, ',' order by ${sorted}), '') || ']' as items,
             null::text[] as last
        ${rows} ${start}`;
  // One row more than the page; if it is there, a next page exists.
  return sql`
    select '[' || coalesce(string_agg(json, ','
      order by place) filter (where place <= ${limit}), '')
             || ']' as items,
           case when max(place) > ${limit}
                then max(key) filter (where place = ${limit}) end as last
      from (select ${json} as json, row_number() over (order by ${sorted}) as place,
                   array[${commas(order.map(({ by }) => sql`(${by})::text`))}] as key
              ${rows} ${start}
             order by ${sorted} limit ${limit + 1}) entry`;
}

/** The answer of a list: its text, and the link to the next page. */
export const page =
  (url: string, limit: number | undefined) =>
  ({ items, last }: Listed): Answer => ({
    status: 200,
    body: items,
    headers: last === null ? {} : nextLink(url, limit as number, last),
  });

const commas = (parts: readonly Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`);
