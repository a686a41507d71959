import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { cardSetups } from '../server/billing/cards/card-setups.ts';
import { sandbox } from '../server/billing/cards/sandbox.ts';
import { topUps } from '../server/billing/top-ups/top-ups.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { build } from '../server/main/app.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { diskStore } from '../server/platform/files/disk-store.ts';
import { openOutgoing } from '../server/platform/outgoing/outgoing.ts';
import { openTaskEvents } from '../server/tasks/events/task-events.ts';
import { appendTo } from './stream-appender.ts';

/**
 * A server that also appends, as one does that runs agents. Arguments: the database, the tasks.
 * Whatever it is asked, it answers with its memory and CPU time; asked to `append`, after it has
 * appended one event to each task every `every` milliseconds for `seconds`; asked to `collect`,
 * after a garbage collection.
 */
const [url = '', list = ''] = process.argv.slice(2);
const tasks = list.split(',');
const db = openDatabase({ url });
const events = openTaskEvents({ url });
const config = readConfig({
  RATE_LIMIT_PER_MINUTE: '1000000000',
  MAX_CONNECTIONS_PER_ADDRESS: '5000',
});
const app = await build({
  db,
  config,
  events,
  outgoing: openOutgoing(config.erp),
  files: diskStore(config.files.folder),
  topUps: topUps(db, sandbox(db)),
  cardSetups: cardSetups(db, sandbox(db)),
  serverSecret: 'a secret for the benchmark that is long enough',
  migration: '',
  log: pino({ level: 'silent' }),
});
await Promise.all(tasks.map((task) => events.log.acquire(task, 1n, 'benchmark')));
const address = await app.listen({ port: 0, host: '127.0.0.1' });

interface Question {
  append?: { every: number; seconds: number };
  collect?: boolean;
}

process.on('message', async ({ append, collect = false }: Question) => {
  if (append !== undefined) await appendTo(events.log, tasks, { fence: 1n, ...append });
  // What is let go by one collection is found by the next.
  for (let i = 0; collect && i < 3; i++) {
    globalThis.gc?.();
    await pause(50);
  }
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed: heap } = process.memoryUsage();
  process.send?.({ cpu: user + system, rss, heap });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ address });
