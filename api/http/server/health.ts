import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../errors.ts';

const notMigrated = apiError(
  503,
  'migrations_pending',
  'The database has not been migrated to this version: run `guildhall migrate`',
);

const shuttingDown = apiError(503, 'shutting_down', 'The server is shutting down: use another one');

/**
 * `/healthz`: the process is alive. `/readyz`: the database answers and has the migrations of this
 * version, and the server is not shutting down.
 */
export function serveHealth(
  app: FastifyInstance,
  db: Database,
  migration: string,
  draining: () => boolean,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (draining()) throw shuttingDown();
    const rows = await db.read(sql`select name from schema_migration where name = ${migration}`);
    if (rows.length === 0) throw notMigrated();
    return { status: 'ready' };
  });
}
