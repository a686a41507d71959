import { Sql, sql } from './sql.ts';

/**
 * JSON as text by concatenation, for lists that PostgreSQL answers whole: json_build_object with json_strip_nulls made the
 * list of people a fifth dearer (docs/performance.md).
 */

/** Any text, escaped. */
export const jsonText = (value: Sql): Sql => sql`to_json(${value})::text`;

/** A value whose constraint, type or expression leaves nothing to escape: an id, a slug, a colour, a time. */
export const jsonToken = (value: Sql): Sql => sql`'"' || ${value} || '"'`;

/** A boolean that is never null. */
export const jsonBoolean = (value: Sql): Sql => sql`(${value})::text`;

/** An object; a member without a value (null) is left out. The first one always has one. */
export function jsonObject(members: Record<string, Sql>): Sql {
  const [first, ...rest] = Object.entries(members).map(([name, value]) => ({ name, value }));
  if (first === undefined) throw new Error('an object without members');
  const begun = sql`${source(`'{"${first.name}":' || `)}${first.value}`;
  const all = rest.reduce(
    (text, { name, value }) => sql`${text} || coalesce(${source(`',"${name}":' || `)}${value}, '')`,
    begun,
  );
  return sql`${all} || '}'`;
}

// Names of members come from the source alone.
const source = (text: string): Sql => new Sql([text], []);
