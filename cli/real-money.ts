import { enterMode, storedMode } from '../server/billing/mode/enter-mode.ts';
import type { Database } from '../server/db/database/database.ts';
import { type Config, requireBilling } from '../server/platform/config/config.ts';
import { Failure } from './failure.ts';

/**
 * The mode of the database, whose balances are real money; before the first start of a server, that
 * of the settings, which the database has from then on. Throws where balances are test money: what
 * is given there would become void with it.
 */
export async function realMoney(db: Database, config: Config): Promise<string> {
  if ((await storedMode(db)) === undefined) {
    const billing = requireBilling(config);
    if (!billing.testMoney) await enterMode(db, billing);
  }
  const stored = await storedMode(db);
  if (stored === undefined || stored.testMoney) throw new Failure(TEST_MONEY);
  if (stored.voiding) throw new Failure(VOIDING);
  return stored.mode;
}

const TEST_MONEY =
  'Balances are test money here, and become void when a server starts with BILLING=credits, stripe ' +
  'or off: what is granted would, too. Start the server so first. In the sandbox, test cards add funds.';
const VOIDING =
  'The money of the sandbox is not void yet: wait until the server has started, then try again.';
