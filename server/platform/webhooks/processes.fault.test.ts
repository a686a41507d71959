import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { fixturesOn } from '../../testing/fixtures/tenants.ts';
import { startReceiver } from '../../testing/fixtures/webhooks.ts';
import {
  endNow,
  observerUrl,
  type Served,
  serve,
  statementsEnded,
} from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';

/** Servers that are killed while webhooks leave: none is lost, and a second copy has the same id. */

const clone = await cloneDatabase();
const db = openDatabase({ url: observerUrl(clone.url) });
const fixtures = fixturesOn(db);
const servers: Served[] = [];
after(async () => {
  for (const { child } of servers) child.kill('SIGKILL');
  await db.close();
  await clone.drop();
});

async function start(): Promise<Served> {
  const served = await serve({
    DATABASE_URL: clone.url,
    SERVER_SECRET,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    WEBHOOK_ALLOW_HTTP: 'true',
  });
  servers.push(served);
  return served;
}

test('kill −9 while deliveries leave: each arrives, in order for its task, and a copy has the same id', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  let holds = true;
  const held: (() => void)[] = [];
  const receiver = await startReceiver(async () => {
    if (holds) await new Promise<void>((resolve) => held.push(resolve));
    return 200;
  });
  const hooks = 8;
  for (let n = 0; n < hooks; n += 1)
    await fixtures.webhook(project, {
      url: `${receiver.url}/${n}`,
      types: ['task.created', 'task.plan_waiting', 'task.paused', 'task.cancelled'],
    });
  const tasks = await Promise.all(Array.from({ length: 20 }, () => fixtures.task(project, owner)));
  for (const task of tasks)
    for (const status of ['awaiting_approval', 'paused', 'cancelled'] as const)
      await fixtures.taskStatus(task, status);
  const expected = hooks * tasks.length * 4;
  // The receiver has the first of each webhook, and has not answered, when its server dies.
  const first = await start();
  await until('each webhook has one under way', () => receiver.messages.length === hooks, 30_000);
  await endNow(first);
  holds = false;
  for (const release of held) release();
  const leaseEnds = async () => {
    await statementsEnded(db);
    await db.many(sql`update webhook_queue set held_until = now() where held_by is not null`);
  };
  await leaseEnds();
  const arrived = async () =>
    (
      await db.one<{ n: number }>(sql`
        select count(*)::integer as n from webhook_delivery where state = 'delivered'`)
    ).n;
  for (let round = 1; round <= 3; round += 1) {
    const pair = await Promise.all([start(), start()]);
    const some = Math.min(expected, Math.ceil((expected * round) / 4));
    await until('some have arrived', async () => (await arrived()) >= some, 60_000);
    await Promise.all(pair.map(endNow));
    await leaseEnds();
  }
  const last = await start();
  await until('all have arrived', async () => (await arrived()) === expected, 60_000);
  await endNow(last);
  const { left } = await db.one<{ left: number }>(sql`
    select count(*)::integer as left from webhook_event`);
  assert.equal(left, 0);
  const ids = await db.many<{ id: string }>(sql`select id from webhook_delivery`);
  assert.equal(ids.length, expected);
  assert.deepEqual(
    new Set(receiver.messages.map(({ id }) => id)),
    new Set(ids.map(({ id }) => id)),
  );
  // First copies, webhook by webhook and task by task.
  for (let n = 0; n < hooks; n += 1)
    for (const task of tasks) {
      const seen = receiver.messages.filter(
        ({ path, data }) => path === `/${n}` && data.task_id === task,
      );
      const once = [...new Map(seen.map(({ id, type }) => [id, type])).values()];
      assert.deepEqual(once, [
        'task.created',
        'task.plan_waiting',
        'task.paused',
        'task.cancelled',
      ]);
    }
});
