import { type Sql, sql } from '../db/sql.ts';

/** An entity tag: the version in quotes. */
export const etag = (version: number | string): string => `"${version}"`;

/**
 * Does If-Match allow the version at hand (RFC 9110, 13.1.1)? True without the header, and for `*`. Comparison is
 * strong: a weak tag or a malformed one matches nothing. `version` is SQL of type text.
 */
export function matches(ifMatch: string | undefined, version: Sql): Sql {
  if (ifMatch === undefined || ifMatch.trim() === '*') return sql`true`;
  const versions = [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, weak]) => weak === undefined)
    .map((m) => m[2]);
  return sql`${version} = any(${versions}::text[])`;
}
