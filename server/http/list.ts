import { nothing, type Sql, sql } from '../db/sql.ts';
import { decodeCursor, nextLink, type Pattern } from './paging.ts';
import type { Answer } from './route.ts';

/**
 * One part of a list's sort order. All parts sort in the same direction; the last one is unique.
 */
interface OrderKey {
  by: Sql;
  type: 'text' | 'uuid' | 'timestamptz' | 'integer' | 'bigint';
}

/** The part of a list that is asked for, for a list that is merged from several sources. */
export interface Part {
  /** `and …`: only what comes after the cursor. */
  after: Sql;
  /** `order by … limit …`: no more than the page needs. Empty for a complete list. */
  first: Sql;
}

/**
 * The definition of a list. `rows`: `from … where …`, which may join `authorized`. A function may
 * apply the part to each source, so that no source is read beyond it.
 */
export interface ListParts {
  json: Sql;
  rows: Sql | ((part: Part) => Sql);
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

const TIMESTAMP = /^(?!0000)\d{4}-\d\d-\d\d ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00$/;

/** Whether it is a timestamp, of a day that exists, as PostgreSQL writes it. */
function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false;
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

// What PostgreSQL would refuse is no cursor of this list.
const PATTERNS: Record<OrderKey['type'], Pattern> = {
  text: /^/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  timestamptz: { test: isTimestamp },
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
  const first = limit === undefined ? nothing : sql`order by ${sorted} limit ${limit + 1}`;
  const from = typeof rows === 'function' ? rows({ after: start, first }) : rows;
  if (limit === undefined)
    return sql`
      select '[' || coalesce(string_agg(${json}, ',' order by ${sorted}), '') || ']' as items,
             null::text[] as last
        ${from} ${start}`;
  // One row more than the page; if it is there, a next page exists.
  return sql`
    select '[' || coalesce(string_agg(json, ','
      order by place) filter (where place <= ${limit}), '')
             || ']' as items,
           case when max(place) > ${limit}
                then max(key) filter (where place = ${limit}) end as last
      from (select ${json} as json, row_number() over (order by ${sorted}) as place,
                   array[${commas(order.map(({ by }) => sql`(${by})::text`))}] as key
              ${from} ${start}
             ${first}) entry`;
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
