import Type from 'typebox';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { fieldError } from './errors.ts';
import { date } from './input/fields.ts';

/** 422 at ["query","to"]: the period ends before it begins. */
export const fromAfterTo = fieldError(
  'from_after_to',
  ['query', 'to'],
  'The end of the period should not be before its beginning',
);

/** A period in whole days of UTC, as query parameters. */
export const days = {
  from: Type.Optional(date({ description: 'Only from the beginning of this day (UTC).' })),
  to: Type.Optional(date({ description: 'Only to the end of this day (UTC).' })),
};

/** `and …`: only what happened in the period. Errors: 422 from_after_to. */
export function withinDays(time: Sql, { from, to }: { from?: string; to?: string }): Sql {
  if (from !== undefined && to !== undefined && from > to) throw fromAfterTo();
  const first =
    from === undefined ? nothing : sql`and ${time} >= ${from}::date::timestamp at time zone 'UTC'`;
  const last =
    to === undefined ? nothing : sql`and ${time} < (${to}::date + 1)::timestamp at time zone 'UTC'`;
  return sql`${first} ${last}`;
}
