import { type Sql, sql } from './sql.ts';

/**
 * Whether two addresses are one mailbox: letters of ASCII are compared without regard to case, all
 * others as they are. `lower()` alone takes a capital I with a dot or a Kelvin sign for a letter of
 * ASCII, so that what was sent to one mailbox would be open to the person of another. It comes first
 * because the indexes are by it.
 */
export const sameMailbox = (one: Sql, other: Sql): Sql => sql`
  (lower(${one}) = lower(${other}) and lower(${one} collate "C") = lower(${other} collate "C"))`;
