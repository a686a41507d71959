import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../db/database/database.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { HttpEventTrial } from '../clients/http-event-trial.ts';
import { cloneDatabase } from '../database/database.ts';
import { fixturesOn } from '../fixtures/tenants.ts';

/**
 * Every client gets every event exactly once and in order over HTTP, from two servers behind
 * connections that break, while one server restarts, the other one is killed, and so are the
 * processes that write. `GUILDHALL_TEST_STREAM_SECONDS` makes it longer.
 */

const SECONDS = Number(process.env.GUILDHALL_TEST_STREAM_SECONDS ?? 6);

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const log = openEventLog({ url: clone.url });
const fixtures = fixturesOn(db);
after(async () => {
  await log.close();
  await db.close();
  await clone.drop();
});

test('streams, pages and long polls have each event once and in order, whatever breaks', async (t) => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  const tasks: string[] = [];
  for (let i = 0; i < 4; i++) tasks.push(await fixtures.task(project, owner));
  const trial = await HttpEventTrial.start(clone.url);
  t.after(() => trial.close());
  for (let i = 0; i < 12; i++) trial.read(tasks[i % 4] as string, owner.key, i % 3 === 0);
  const end = performance.now() + SECONDS * 1_000;
  const busy = Promise.all([trial.write(tasks, end), trial.cut(end)]);
  await pause((SECONDS * 1_000) / 3);
  await trial.replace(0, 'SIGTERM');
  await trial.replace(1, 'SIGKILL');
  await busy;
  const stored = new Map<string, string[]>();
  for (const task of tasks) {
    const events = await log.read(task, 0, 1_000_000);
    stored.set(
      task,
      events.map(({ payload }) => JSON.stringify(JSON.parse(payload))),
    );
  }
  t.diagnostic(await trial.verify(stored));
});
