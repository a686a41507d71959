import { type Sql, sql } from './sql.ts';

/**
 * Whether a text contains `part`, without regard to case. An index on `lower(text)` with
 * `gin_trgm_ops` serves it.
 */
export const contains = (text: Sql, part: string): Sql =>
  sql`lower(${text}) like '%' || lower(${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}) || '%'`;
