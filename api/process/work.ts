import type { Config } from '../config.ts';
import { openFileStore } from '../files/open-file-store.ts';
import { closeInReverse } from './closing.ts';
import { connectAndLog, logWarnings, observers, serverLog } from './log.ts';
import type { Connected } from './open-database.ts';
import { openEvents } from './open-events.ts';
import { startTasks } from './start-tasks.ts';
import { signalled, throwWhenEnded } from './until.ts';

/**
 * Carries out tasks, beside the servers of the same database, until SIGINT, SIGTERM or SIGHUP (the
 * end of its terminal). Then it claims no more, gives running turns 20 s, and leaves what has not
 * ended to the other workers. Throws when the embedded PostgreSQL ends unexpectedly.
 */
export async function work(
  config: Config,
  announce: (connected: Pick<Connected, 'embedded'>) => void,
): Promise<void> {
  const signal = signalled('SIGINT', 'SIGTERM', 'SIGHUP');
  const log = serverLog(config);
  logWarnings(config, log);
  const connected = await connectAndLog(config, log, 'share');
  const { db, embedded } = connected;
  const closing = [connected.close];
  try {
    const events = await openEvents(config, connected.url, observers(config, log));
    closing.push(events.close);
    const store = await openFileStore(config.files.folder, config.files.s3);
    closing.push(store.close);
    const tasks = await startTasks(config, { db, events: events.log, store, log });
    closing.push(tasks.close);
    announce({ embedded });
    await Promise.race([signal, throwWhenEnded(embedded)]);
  } finally {
    await closeInReverse(closing);
  }
}
