import type { Logger } from 'pino';
import { microUsd } from '../billing/ledger/money.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import { openInstances } from '../erp/instances/open-instances.ts';
import { instancePassword } from '../erp/instances/password.ts';
import { type InstanceKeeper, instanceKeeper } from '../worker/instances/keep-instances.ts';
import { serverSecret } from './server-secret.ts';

/** What looks after the ERP instances of tasks; undefined where none are run. */
export async function openInstanceKeeper(
  config: Config,
  { db, log, owner }: { db: Database; log: Logger; owner: string },
): Promise<InstanceKeeper | undefined> {
  const { erpInstances, catalog } = config;
  const driver = await openInstances(config);
  if (driver === undefined) return undefined;
  const secret = await serverSecret(config);
  const { publicUrl, idle, startWithin } = erpInstances;
  return instanceKeeper(db, {
    ...{ driver, owner, idle, startWithin, log },
    price: microUsd(catalog.erp_instances.price_per_hour) as bigint,
    passwordOf: (id) => instancePassword(secret, id),
    publicUrl: (id, url) =>
      publicUrl
        ?.replaceAll('{name}', `guildhall-${id}`)
        .replaceAll('{id}', id)
        .replaceAll('{port}', new URL(url).port),
  });
}
