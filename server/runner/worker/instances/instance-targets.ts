import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import {
  type ErpTarget,
  INSTANCE_LOGIN,
  type InstanceDriver,
  type InstanceSpec,
  plainSend,
  type TargetsOf,
} from '../../../erp/index.ts';

import type { CodePlace } from './instance-code.ts';
import { commandsOf } from './instance-commands.ts';

interface InstanceTargets {
  driver: InstanceDriver;
  /** The code of a task, for its tests; without it, there are no commands. */
  code?: CodePlace | undefined;
  passwordOf(id: string): string;
}

/**
 * The instance of a turn's task as a target of the gateway, while it runs where this worker reaches
 * it. Everything in it may be changed, but not while a plan is written.
 */
export function instanceTargets(
  db: Database,
  { driver, passwordOf, code }: InstanceTargets,
): TargetsOf {
  async function targetsOf(
    { taskId, mode }: Parameters<TargetsOf>[0],
    instanceId: string | null = null,
  ): Promise<ErpTarget[]> {
    const [row] = await db.read<Row>(sql`
      select id, edition, database_name as database, erp_version as "erpVersion"
        from erp_instance
       where task_id = ${taskId} and state = 'running' and driver = ${driver.name}
         and (${instanceId}::uuid is null or id = ${instanceId})`);
    const url = row && (await driver.url(row.id));
    if (row === undefined || url === undefined) return [];
    return [
      {
        ...row,
        name: 'Throwaway instance',
        kind: 'instance',
        url,
        login: INSTANCE_LOGIN,
        secret: passwordOf(row.id),
        credential: hasKey(row.erpVersion) ? 'api_key' : 'password',
        access: mode === 'plan' ? 'read' : 'write',
        send: plainSend,
        run:
          code &&
          driver.run &&
          commandsOf({ driver, code, taskId, spec: { ...row, password: passwordOf(row.id) } }),
        current: async () => (await targetsOf({ taskId, mode }, row.id))[0],
      },
    ];
  }
  return (turn) => targetsOf(turn);
}

type Row = Pick<InstanceSpec, 'id' | 'database' | 'erpVersion' | 'edition'>;

/** From this version on the password is an API key, too, and JSON-2 takes keys alone. */
const JSON_2_SINCE = 19;
const hasKey = (erpVersion: string) => Number.parseInt(erpVersion, 10) >= JSON_2_SINCE;
