import { type Sql, sql, sqlText } from './sql.ts';

/**
 * JSON as text by concatenation, for complete lists: json_build_object with json_strip_nulls made
 * the list of people a fifth more expensive (docs/performance.md).
 */

/** Any text, escaped. */
export const jsonText = (value: Sql): Sql => sql`to_json(${value})::text`;

/**
 * A value whose constraint, type or expression leaves nothing to escape: an id, a slug, a colour, a
 * time.
 */
export const jsonToken = (value: Sql): Sql => sql`'"' || ${value} || '"'`;

/** A boolean that is never null. */
export const jsonBoolean = (value: Sql): Sql => sql`(${value})::text`;

/** An object; fields without a value (null) are omitted. The first field must always have one. */
export function jsonObject(members: Record<string, Sql>): Sql {
  const [first, ...rest] = Object.entries(members).map(([name, value]) => ({ name, value }));
  if (first === undefined) throw new Error('an object without members');
  const begun = sql`${sqlText(`'{"${first.name}":' || `)}${first.value}`;
  const all = rest.reduce(
    (text, { name, value }) => sql`${text}
           || coalesce(${sqlText(`',"${name}":' || `)}${value}, '')`,
    begun,
  );
  return sql`${all} || '}'`;
}
