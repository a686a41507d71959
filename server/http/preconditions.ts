import { type Sql, sql } from '../db/sql.ts';

/** The longest If-Match header, because the other headers need space too. */
export const LONGEST_IF_MATCH = 8 * 1024;

/**
 * Whether If-None-Match names the current entity tag (RFC 9110, 13.1.2), so that the caller needs
 * no other copy. The comparison is weak: a proxy that compresses an answer may have weakened its
 * tag.
 */
export function isCurrent(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > LONGEST_IF_MATCH) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, known]) => known === tag);
}

/** An entity tag: the version in quotes. */
export const etag = (version: number | string): string => `"${version}"`;

/**
 * Whether If-Match allows the current version (RFC 9110, 13.1.1). True without the header and for
 * `*`. The comparison is strong: a weak or malformed tag matches nothing, and neither does anything
 * in a header that is too long. `version` is SQL of type text.
 */
export function matches(ifMatch: string | undefined, version: Sql): Sql {
  if (ifMatch === undefined || ifMatch.trim() === '*') return sql`true`;
  if (ifMatch.length > LONGEST_IF_MATCH) return sql`false`;
  const versions = [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, weak]) => weak === undefined)
    .map((m) => m[2]);
  return sql`${version} = any(${versions}::text[])`;
}
