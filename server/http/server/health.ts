import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { overloaded, type Slots } from './overload.ts';

const notMigrated = apiError(
  503,
  'migrations_pending',
  'The database has not been migrated to this version: run `guildhall migrate`',
);

const shuttingDown = apiError(503, 'shutting_down', 'The server is shutting down: use another one');

/** A busy server frees slots many times within this time; a stuck one does not. */
const STUCK_MS = 2_000;

const tasksWait = apiError(
  503,
  'tasks_wait',
  'No tasks are carried out. Within some seconds of a start that is usual; later, the log of the ' +
    'server says why, and it is tried again by itself',
);

/** What readiness depends on, apart from the database. */
interface Readiness {
  /** The last migration of this version. */
  migration: string;
  /** Whether it is part of the server to carry out tasks; else workers of their own do that. */
  carriesOutTasks: boolean;
  slots: Slots;
  connections: Connections;
  /** Whether the server is shutting down. */
  draining(): boolean;
}

/**
 * `/healthz`: the process is alive. `/readyz`: the server can take on work. It is not shutting
 * down, the slots are not stuck, it has not just refused a connection for lack of room, the database
 * answers and has the migrations of this version, and, where that is part of it, tasks are carried
 * out. A server that is merely busy stays ready: its load would only move on to the next one.
 */
export function serveHealth(
  app: FastifyInstance,
  db: Database,
  { migration, carriesOutTasks, ...load }: Readiness,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (load.draining()) throw shuttingDown();
    if (load.slots.stuckFor() > STUCK_MS || load.connections.isFull()) throw overloaded();
    const rows = await db.read(sql`select name from schema_migration where name = ${migration}`);
    if (rows.length === 0) throw notMigrated();
    if (carriesOutTasks) {
      const [found] = await db.read<{ waits: string | null }>(sql`
        select why_tasks_wait() as waits`);
      if (found?.waits !== null) throw tasksWait();
    }
    return { status: 'ready' };
  });
}
