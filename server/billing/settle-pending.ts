import type { Logger } from 'pino';
import type { Database } from '../db/database/database.ts';
import { type SettlementRound, settleUsage } from './ledger/usage.ts';

/**
 * Charges usage that no turn settles: a turn settles its own while it is at work, but not once
 * its worker has died for good, and usage that another service reports belongs to no turn. In
 * batches of a thousand events, so that no account is locked for long. What cannot be charged stays
 * recorded, and is logged. Throws DatabaseUnavailable.
 */
export async function settlePending(db: Database, log: Logger): Promise<SettlementRound> {
  const round = await settleUsage(db);
  const { settlements, events, busy, failed } = round;
  if (settlements > 0) log.info({ settlements, events, busy }, 'usage was settled');
  for (const { accountId, error: err } of failed)
    log.error({ err, account: accountId }, 'usage of an account could not be settled');
  return round;
}
