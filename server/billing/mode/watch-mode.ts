import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import type { Billing } from '../../platform/config/config.ts';
import { storedMode } from './enter-mode.ts';

const EVERY_MS = 60_000;

/**
 * Logs once a minute, as an error, that another server has been started with another BILLING: the
 * database goes by the last one that started. Call what is returned to end it.
 */
export function watchMode(db: Database, { mode, testMoney }: Billing, log: Logger): () => void {
  const check = async () => {
    const stored = await storedMode(db);
    if (stored !== undefined && (stored.mode !== mode || stored.testMoney !== testMoney))
      log.error(
        { here: mode, database: stored.mode },
        'BILLING is not the same for all servers of this database: set the same and restart them',
      );
  };
  // What keeps the database from answering is logged where it matters.
  const timer = setInterval(() => void check().catch(() => {}), EVERY_MS).unref();
  return () => clearInterval(timer);
}
