import type { OfConnection } from '../../access/odoo-connection.ts';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import { CannotOpen, openSealing, type ServerSecrets } from '../../platform/sealing/sealing.ts';
import { contextOf } from '../sealed-secrets.ts';
import type { ErpTarget } from './target.ts';

/** What the agent of a turn may use: the connections that are active in its task. */

interface TargetsOptions {
  outgoing: Pick<Outgoing, 'send'>;
  /** Without them, no secret can be opened. */
  secrets: ServerSecrets | undefined;
  /** What an operator must know, as a sentence; never with a secret. */
  onFault: (sentence: string) => void;
}

interface OfTurn {
  taskId: string;
  mode: 'plan' | 'build';
}

export type TargetsOf = (turn: OfTurn) => Promise<ErpTarget[]>;

type Row = Pick<
  OfConnection,
  'connection_id' | 'project_id' | 'url' | 'login' | 'kind' | 'secret_key_id'
> & {
  name: string;
  database: string | null;
  secret: Buffer;
  agent_access: 'read' | 'write';
  agent_exceptions: string[];
  erp_version: string | null;
};

/** While a plan is written, nothing is changed: an agent then reads, whatever else it may. */
export function targetsOf(db: Database, options: TargetsOptions): TargetsOf {
  const { secrets, outgoing, onFault } = options;
  const sealing = secrets && openSealing(secrets, 'connections');

  function targetOf(row: Row, { taskId, mode }: OfTurn): ErpTarget | undefined {
    const secret = opened(row);
    if (secret === undefined) return undefined;
    return {
      id: row.connection_id,
      name: row.name,
      kind: 'connection',
      url: row.url,
      secret,
      database: row.database ?? undefined,
      login: row.login ?? undefined,
      credential: row.kind,
      erpVersion: row.erp_version ?? undefined,
      access: mode === 'plan' ? 'read' : row.agent_access,
      exceptions: row.agent_exceptions,
      send: outgoing.send,
      current: async () => {
        const [now] = await db.read<Row>(active(taskId, row.connection_id));
        return now && targetOf(now, { taskId, mode });
      },
    };
  }

  function opened(row: Row): string | undefined {
    const { secret: sealed, secret_key_id: keyId } = row;
    if (sealing === undefined) {
      onFault('Tasks cannot use their connections to Odoo: set SERVER_SECRET for workers, too.');
      return undefined;
    }
    try {
      return sealing.open({ sealed, keyId }, contextOf(row)).toString();
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error;
      onFault(`The secret of the connection ${row.connection_id} was not opened. ${error.message}`);
      return undefined;
    }
  }

  return async (turn) =>
    (await db.read<Row>(active(turn.taskId))).flatMap((row) => targetOf(row, turn) ?? []);
}

const active = (taskId: string, connectionId: string | null = null): Sql => sql`
  select c.id as connection_id, c.project_id, c.name, c.url, c.login, c.kind, c.secret,
         c.secret_key_id, c.agent_access, c.agent_exceptions, c.erp_version,
         coalesce(c.database, c.last_probe->>'database') as database
    from task_odoo_connection a
    join odoo_connection c on c.id = a.connection_id
   where a.task_id = ${taskId}
     and (${connectionId}::uuid is null or a.connection_id = ${connectionId})
     and c.agent_access <> 'none' and c.secret is not null
   order by a.activated_at, c.id`;
