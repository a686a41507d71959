import type { Logger } from 'pino';
import { microUsd } from '../billing/ledger/money.ts';
import type { Database } from '../db/database/database.ts';
import type { TargetsOf } from '../erp/gateway/targets.ts';
import { OPEN_PATH } from '../erp/instances/entry/entry.ts';
import { type KeptEntry, keptEntry } from '../erp/instances/entry/kept-entry.ts';
import type { InstanceDriver } from '../erp/instances/instance-driver.ts';
import { openInstances } from '../erp/instances/open-instances.ts';
import { instancePassword } from '../erp/instances/password.ts';
import { Connections } from '../http/server/connections.ts';
import type { Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { CodePlace } from '../runner/worker/instances/instance-code.ts';
import { instanceTargets } from '../runner/worker/instances/instance-targets.ts';
import { type InstanceKeeper, instanceKeeper } from '../runner/worker/instances/keep-instances.ts';
import { type DumpPreparer, dumpPreparer } from '../runner/worker/instances/prepare-dumps.ts';
import { knownSecrets } from './server-secret.ts';

/** ERP instances, as a worker has to do with them. */
interface Instances {
  driver: InstanceDriver;
  keeper: InstanceKeeper;
  /** What prepares the dumps that they start from. */
  dumps: DumpPreparer;
  /** Where people reach them; undefined if that is not here. */
  entry: KeptEntry | undefined;
  /** What the agent of a turn may use of them. */
  targetsOf: TargetsOf;
}

/**
 * What looks after the ERP instances of tasks; undefined where none are run. A process that does
 * not know the secret of the servers leaves them to others, because it cannot know their passwords.
 */
export async function openInstanceKeeper(
  config: Config,
  {
    db,
    log,
    owner,
    code,
    files,
  }: { db: Database; log: Logger; owner: string; code: CodePlace; files: FileStore },
): Promise<Instances | undefined> {
  const { erpInstances, catalog } = config;
  const driver = await openInstances(config);
  if (driver === undefined) return undefined;
  const secrets = await knownSecrets(config);
  if (secrets === undefined) {
    log.warn('This process runs no ERP instances: set SERVER_SECRET for workers, too.');
    return undefined;
  }
  const { publicUrl, idle, startWithin, entry: at } = erpInstances;
  const passwordOf = (id: string) => instancePassword(secrets.current, id);
  const shownUrl = (id: string, url: string) =>
    publicUrl
      ?.replaceAll('{name}', `guildhall-${id}`)
      .replaceAll('{id}', id)
      .replaceAll('{port}', new URL(url).port);
  const keeper = instanceKeeper(db, {
    driver,
    owner,
    idle,
    startWithin,
    passwordOf,
    code,
    log,
    price: microUsd(catalog.erp_instances.price_per_hour) as bigint,
    publicUrl: shownUrl,
    entryUrl: (id, url) => at && `${shownUrl(id, url)?.replace(/\/$/, '')}${OPEN_PATH}`,
  });
  const entry =
    at &&
    keptEntry(at, {
      db,
      driver,
      passwordOf,
      secure: at.secure,
      connections: new Connections({
        ...config.maxConnections,
        sendTimeout: config.sendTimeout,
        trustedProxies: config.trustedProxies,
      }),
      log,
    });
  const dumps = dumpPreparer(db, { driver, files, owner, log });
  return {
    driver,
    keeper,
    dumps,
    entry,
    targetsOf: instanceTargets(db, { driver, passwordOf, code }),
  };
}
