import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { fixturesOn } from '../../testing/fixtures/tenants.ts';
import {
  endNow,
  observerUrl,
  type Served,
  serve,
  statementsEnded,
} from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';

/** Servers that are killed while people are told: nobody misses anything, and a copy has the same id. */

const clone = await cloneDatabase();
const db = openDatabase({ url: observerUrl(clone.url) });
const fixtures = fixturesOn(db);
const mails = await startMailServer({ encryption: 'none' });
const servers: Served[] = [];
after(async () => {
  for (const { child } of servers) child.kill('SIGKILL');
  await mails.close();
  await db.close();
  await clone.drop();
});

async function start(): Promise<Served> {
  const served = await serve({
    DATABASE_URL: clone.url,
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  });
  servers.push(served);
  return served;
}

test('kill −9 while notifications leave: each task is told once, and a copy has the same Message-ID', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  const tasks: string[] = [];
  const wait = async (how: number) => {
    for (let n = 0; n < how; n += 1) {
      const task = await fixtures.task(project, owner);
      // Now it waits for approval, once: a second event would be told five minutes later.
      await fixtures.revision(task);
      tasks.push(task);
    }
  };
  const told = () => new Set(mails.received.map(({ messageId }) => messageId)).size;
  await wait(200);
  for (let round = 1; round <= 3; round += 1) {
    const pair = await Promise.all([start(), start()]);
    await wait(20);
    await until('some are told', () => told() >= round * 40, 60_000);
    await Promise.all(pair.map(endNow));
    await statementsEnded(db);
    // As two minutes later.
    await db.many(sql`
      update mail set next_attempt_at = now() where status = 'queued' and attempts > 0`);
  }
  const last = await start();
  const left = async () =>
    (
      await db.one<{ n: number }>(sql`
        select ((select count(*) from notification_event)
                + (select count(*) from notification_thread where due_at is not null)
                + (select count(*) from mail where status = 'queued'))::integer as n`)
    ).n;
  await until('all are told', async () => (await left()) === 0, 60_000);
  await endNow(last);
  const whole = mails.received.map(({ raw, messageId }) => ({
    messageId,
    raw: raw.replaceAll('=\n', ''),
  }));
  for (const task of tasks) {
    const of = whole.filter(({ raw }) => raw.includes(`/tasks/${task}`));
    assert.equal(new Set(of.map(({ messageId }) => messageId)).size, 1, task);
  }
  assert.equal(told(), tasks.length);
});
