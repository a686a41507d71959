import { sql } from '../../db/sql.ts';
import { seesBilling } from '../ledger/sees-billing.ts';

/**
 * SQL: whether a person `u` gets warnings about the balance of an account `a`: they see its billing
 * and want such mail.
 */
export const mayBeWarned = sql`u.mail_warnings and ${seesBilling}`;
