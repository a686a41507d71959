import type { Database } from '../../db/database/database.ts';
import {
  type Config,
  ConfigError,
  costsRealMoney,
  requireBilling,
} from '../../platform/config/config.ts';
import { enterMode, storedMode } from './enter-mode.ts';
import { voidTestMoney } from './void-test-money.ts';

/**
 * Prepares a process that only carries out tasks, which goes by the mode of the servers and needs
 * neither BILLING nor a key of Stripe; before the first start of a server its own settings count. Throws a
 * ConfigError where test money would pay for models that cost real money.
 */
export async function followMode(
  db: Database,
  config: Pick<Config, 'billing' | 'agents'>,
): Promise<void> {
  if ((await storedMode(db)) === undefined) await enterMode(db, requireBilling(config));
  const stored = await storedMode(db);
  if (stored?.mode === 'sandbox' && costsRealMoney(config.agents)) throw new ConfigError([SANDBOX]);
  if (stored?.voiding) await voidTestMoney(db);
}

const SANDBOX =
  'GUILDHALL_CATALOG must be that of the servers, which run with BILLING=sandbox: it has models that ' +
  'cost real money, and test cards would pay for them. Give the servers the same catalog first';
