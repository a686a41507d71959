import { type Sql, sql } from './sql.ts';

/**
 * Whether a text contains `part`, without regard to case. An index on `lower(text)` with
 * `gin_trgm_ops` serves it.
 */
export const contains = (text: Sql, part: string): Sql =>
  sql`lower(${text}) like '%' || lower(${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}) || '%'`;

const apart = (text: Sql): Sql => sql`regexp_replace(${text}, '[!-/:-@[-\`{-~]', ' ', 'g')`;

/** The words of a text, in any language; an index on the same expression serves them. */
export const wordsOf = (text: Sql): Sql => sql`to_tsvector('simple', ${apart(text)})`;

/**
 * What finds texts with all words of `text`; its last one may be the beginning of a word, unless it
 * is a single character. Null without a word.
 */
export const allWords = (text: string): Sql => sql`
  (select case when numnode(w) > 0
               then (w::text || ${/[\p{L}\p{N}]{2}$/u.test(text) ? ':*' : ''})::tsquery end
     from plainto_tsquery('simple', ${apart(sql`${text}::text`)}) w)`;
