import type { Processor } from '../server/billing/cards/processor.ts';
import { requireMode } from '../server/billing/mode/enter-mode.ts';
import type { Database } from '../server/db/database/database.ts';
import { openProcessor } from '../server/main/open-processor.ts';
import { type Config, requireBilling } from '../server/platform/config/config.ts';

/** The card processor of the servers. Throws a ConfigError where the settings are not theirs. */
export async function openSameProcessor(db: Database, config: Config): Promise<Processor> {
  const processor = await openProcessor(db, config);
  await requireMode(db, requireBilling(config));
  return processor;
}
