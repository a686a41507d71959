import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { EventTrial } from '../../testing/clients/event-trial.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { migrateEventLog } from './migrate-event-log.ts';

/**
 * Every reader gets every event exactly once and in order: over cuts at any moment, however slowly
 * it reads, whatever wakes are lost, while servers restart and writers are killed. The seed of a
 * failed trial does not repeat it, because processes and the database have a part in it.
 */

const { emptyDatabase } = await migrationsForTests();
const DURATION = 4_000;

test('each event once and in order for each reader, in a database of the events alone', async (t) => {
  const url = await emptyDatabase();
  await migrateEventLog(url);
  await migrateEventLog(url); // a second start finds it complete
  const trial = new EventTrial(url);
  const tasks = Array.from({ length: 6 }, () => randomUUID());
  const [killed, moved] = [tasks.slice(0, 3), tasks.slice(3)];
  try {
    for (let i = 0; i < 24; i++)
      trial.read(tasks[i % tasks.length] as string, { slow: i % 4 === 0 });
    const until = performance.now() + DURATION;
    const writing = Promise.all([
      trial.writeAndKill(killed, until),
      ...moved.map((task) => trial.writeAndMove(task, until)),
    ]);
    await pause(DURATION / 2);
    await trial.restartServer();
    await writing;
    t.diagnostic(await trial.verify());
  } finally {
    await trial.close();
  }
});

test('a task without an event is read, too', async () => {
  const { url, drop } = await cloneDatabase();
  const trial = new EventTrial(url);
  trial.read(randomUUID(), { slow: false });
  await pause(50);
  assert.match(await trial.verify(), /^0 events, 0 frames/);
  await trial.close();
  await drop();
});
