import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { sealFor } from '../erp/connections/seal.ts';
import { openSealing } from '../platform/sealing/sealing.ts';

const UNREACHED = {
  probed_at: '2026-11-21T08:15:30.123Z',
  reachable: false,
  tls: false,
  edition: 'unknown',
  login_ok: false,
  access: 'none',
  code: 'refused',
  message: 'The server is down.',
};

/** The secret of the servers of tests. */
export const SERVER_SECRET = 'a secret for tests that is long enough';

interface Wanted {
  name?: string;
  url?: string;
  database?: string | null;
  login?: string | null;
  kind?: 'api_key' | 'password';
  /** Null for a connection without one. */
  secret?: string | null;
  environment?: 'production' | 'staging' | 'development';
  agentAccess?: 'none' | 'read' | 'write';
  version?: string;
  expiresAt?: Date;
  /** What the servers seal it with. */
  serverSecret?: string;
}

/** Connections to Odoo, as if people had added them. */
export function odooFixtures(db: Database) {
  const odooConnection = async (project_id: string, wanted: Wanted = {}): Promise<string> => {
    const { secret = 'a-planted-secret', environment = 'staging', agentAccess = 'read' } = wanted;
    const connection = {
      connection_id: randomUUID(),
      project_id,
      url: wanted.url ?? 'https://127.0.0.1:9',
    };
    const sealing = openSealing({ current: wanted.serverSecret ?? SERVER_SECRET }, 'connections');
    const sealed = secret === null ? undefined : sealFor(sealing, connection, secret);
    const writes = environment === 'production' && agentAccess === 'write';
    await db.many(sql`
      insert into odoo_connection (
        id, project_id, name, url, database, login, kind, environment, agent_access,
        production_write_allowed_at, secret, secret_key_id, secret_set_at, secret_expires_at,
        erp_version, last_probe)
      values (${connection.connection_id}, ${project_id},
        ${wanted.name ?? `Odoo ${connection.connection_id}`}, ${connection.url},
        ${wanted.database === undefined ? 'erp' : wanted.database},
        ${wanted.login === undefined ? 'agent' : wanted.login}, ${wanted.kind ?? 'api_key'},
        ${environment}, ${agentAccess}, ${writes ? new Date() : null}, ${sealed?.sealed ?? null},
        ${sealed?.keyId ?? null}, ${sealed === undefined ? null : new Date()},
        ${wanted.expiresAt ?? null}, ${wanted.version ?? null},
        ${JSON.stringify(UNREACHED)})`);
    return connection.connection_id;
  };

  return {
    odooConnection,
    /** Makes it active in a task of its project. */
    odooActive: (taskId: string, connectionId: string) =>
      db.many(sql`
        insert into task_odoo_connection (task_id, project_id, connection_id, activated_by_user_id)
        select id, project_id, ${connectionId}, created_by_user_id from task where id = ${taskId}`),
  };
}
