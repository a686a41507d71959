import type { Database } from '../../../db/database/database.ts';
import {
  type DumpOrder,
  type InstanceCode,
  type InstanceDriver,
  InstanceError,
} from '../../../erp/index.ts';
import { databaseOfDump, dumpLost, dumpOfTask } from './dump-rows.ts';
import type { TakenInstance } from './rows.ts';

/** The dump of a project as an instance of its tasks begins with it. */

const FAILED = 'The dump of the project could not be prepared. Upload another one, or delete it.';
const OTHER =
  'The dump of the project is of another ERP version. Upload one of its version, or delete it.';

/**
 * The dump that the database of an instance is made from; undefined for none. Rejects with
 * InstanceError `unavailable` where it has to be prepared first, and `failed` where it cannot be used.
 */
export async function dumpFor(
  db: Database,
  { driver, taskId, erpVersion, wasReady, asked }: TakenInstance & { driver: InstanceDriver },
): Promise<DumpOrder | undefined> {
  // It has its database.
  if (wasReady && asked !== 'reset') return undefined;
  const dump = await dumpOfTask(db, taskId);
  if (dump === undefined) return undefined;
  const { id, state } = dump;
  const cannot = (sentence: string) => new InstanceError('failed', sentence, { sentence });
  if (state === 'failed') throw cannot(FAILED);
  if (dump.erpVersion !== erpVersion) throw cannot(OTHER);
  const is = state === 'ready' ? (await driver.find(id)).state : undefined;
  if (is === 'absent') await dumpLost(db, id);
  if (state === 'preparing' || is === 'absent') throw new WaitsForDump();
  return { id, database: databaseOfDump(id) };
}

/** It is started once the dump is prepared, however often that is. */
export class WaitsForDump extends InstanceError {
  constructor() {
    super('unavailable', 'the dump of the project has to be prepared first');
  }
}

/** The order of an instance with its dump; also for a project without modules. */
export const withDump = (
  code: InstanceCode | undefined,
  dump: DumpOrder | undefined,
): InstanceCode | undefined =>
  dump === undefined
    ? code
    : {
        fill: async () => {},
        ...code,
        order: { project: '', demo: false, ...code?.order, dump },
      };

/** What its program says of why it has not started. */
export async function asReported(
  db: Database,
  {
    driver,
    id,
    dump,
    error,
  }: { driver: InstanceDriver; id: string; dump: DumpOrder | undefined; error: unknown },
): Promise<unknown> {
  if (!(error instanceof InstanceError) || error.code !== 'failed') return error;
  const { missing, problem, unavailable } = (await driver.report?.(id)) ?? {};
  if (unavailable === true)
    return new InstanceError('unavailable', error.message, { cause: error });
  if (missing === 'dump' && dump !== undefined) {
    await dumpLost(db, dump.id);
    return new WaitsForDump();
  }
  if (problem === undefined) return error;
  return new InstanceError('failed', error.message, {
    sentence: problem.slice(0, 500),
    cause: error,
  });
}
