import { once } from 'node:events';
import { pino } from 'pino';
import { build } from './app.ts';
import { sandbox } from './billing/cards/sandbox.ts';
import { reconciler } from './billing/reconcile.ts';
import { topUps } from './billing/top-ups.ts';
import type { Config } from './config.ts';
import { connect } from './connect.ts';
import type { Database } from './db/database.ts';
import { openLog } from './log.ts';

const RECONCILE_EVERY = 5_000;

/** A server that answers. `url`: where. `close` finishes what runs, then ends the embedded PostgreSQL it started. */
export interface Server {
  url: string;
  db: Database;
  embedded: boolean;
  close(): Promise<void>;
}

/** Starts everything in order; what had started is closed again when a later step fails. */
export async function start(config: Config): Promise<Server> {
  // The log goes to standard error, so that what is printed for people can be told apart from it.
  const log = openLog(config.logLevel, pino.destination({ fd: 2, sync: false }));
  const { db, embedded, serverSecret, migration, close } = await connect(config, {
    onError: (err) => log.warn({ err }, 'database'),
  });
  try {
    const processor = sandbox(db);
    const app = await build({ db, config, processor, serverSecret, migration, log });
    const url = await app.listen({ port: config.port, host: config.host });
    const reconciling = reconciler(db, topUps(db, processor), config.topUpChecks);
    reconciling.watch(
      RECONCILE_EVERY,
      (round) =>
        round.checked > 0 && log[round.late > 0 ? 'error' : 'info']({ round }, 'open top-ups checked'),
      (err) => log.warn({ err }, 'open top-ups were not checked; trying again'),
    );
    return { url, db, embedded, close: () => app.close().then(reconciling.close).finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves until SIGINT or SIGTERM. `announce` is called once the server answers. */
export async function serve(config: Config, announce: (server: Server) => Promise<void>): Promise<void> {
  const server = await start(config);
  const signal = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  try {
    await announce(server);
    await signal;
  } finally {
    await server.close();
  }
}
