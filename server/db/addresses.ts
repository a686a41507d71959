import { type Sql, sql } from './sql.ts';

/**
 * Whether two addresses are one mailbox, which the database function `mailbox` decides: letters of
 * ASCII are compared without regard to case, all others as they are.
 */
export const sameMailbox = (one: Sql, other: Sql): Sql =>
  sql`(mailbox(${one}) = mailbox(${other}))`;

/** The same as the database function `mailbox`, for what is compared outside of it. */
export const mailboxOf = (address: string): string =>
  address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
