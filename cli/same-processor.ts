import type { Processor } from '../api/billing/cards/processor.ts';
import { requireMode } from '../api/billing/mode/enter-mode.ts';
import { type Config, requireBilling } from '../api/config.ts';
import type { Database } from '../api/db/database/database.ts';
import { openProcessor } from '../api/process/open-processor.ts';

/** The card processor of the servers. Throws a ConfigError where the settings are not theirs. */
export async function openSameProcessor(db: Database, config: Config): Promise<Processor> {
  const processor = await openProcessor(db, config);
  await requireMode(db, requireBilling(config));
  return processor;
}
