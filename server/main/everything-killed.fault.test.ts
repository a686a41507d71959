import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { startCluster } from '../testing/database/cluster.ts';
import { startMailServer } from '../testing/fakes/mail-server/mail-server.ts';
import { SERVER_SECRET } from '../testing/fixtures/erp/odoo-connections.ts';
import { fixturesOn } from '../testing/fixtures/tenants.ts';
import { startReceiver } from '../testing/fixtures/webhooks.ts';
import { endNow, type Served, serve } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';

/**
 * kill −9 of all servers and of PostgreSQL at once, while people and webhooks are told of tasks:
 * nothing is lost, and a copy has the id of the first. `GUILDHALL_TEST_TOLD` says how many are told.
 */

const TOLD = Number(process.env.GUILDHALL_TEST_TOLD ?? 400);
const ROUNDS = 4;
const WITHIN = 600_000;

const cluster = await startCluster();
const mails = await startMailServer({ encryption: 'none' });
const receiver = await startReceiver();
let servers: Served[] = [];
let db = openDatabase({ url: cluster.url });
after(async () => {
  for (const { child } of servers) child.kill('SIGKILL');
  await mails.close();
  await db.close();
  await cluster.stop();
});

const start = async () => {
  const served = await serve({
    DATABASE_URL: cluster.url,
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    SERVER_SECRET,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    WEBHOOK_ALLOW_HTTP: 'true',
  });
  servers.push(served);
};

const messageIds = () => new Set(mails.received.map(({ messageId }) => messageId));
const deliveryIds = () => new Set(receiver.messages.map(({ id }) => id));

/** Two servers begin, and everything ends while they are at it. */
async function killEverything(round: number): Promise<void> {
  await Promise.all([start(), start()]);
  const wanted = Math.floor((TOLD * round) / (ROUNDS + 1));
  const told = () => messageIds().size + deliveryIds().size;
  await until(`${wanted} are told`, () => told() >= wanted, WITHIN);
  await db.close();
  await Promise.all([cluster.kill(), ...servers.map(endNow)]);
  servers = [];
  await cluster.start();
  db = openDatabase({ url: cluster.url });
  // As after the leases of those who have died.
  await db.many(sql`
    update mail set next_attempt_at = now() where status = 'queued' and attempts > 0`);
  await db.many(sql`update webhook_queue set held_until = now() where held_by is not null`);
}

test('kill −9 of servers and PostgreSQL while notifications and deliveries leave: none is lost, copies have one id', async (t) => {
  // The first start makes the tables.
  await start();
  await Promise.all(servers.map(endNow));
  servers = [];
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  const hook = await fixtures.webhook(project, {
    url: `${receiver.url}/hook`,
    types: ['task.plan_waiting'],
  });
  const tasks = new Set<string>();
  const each = async () => {
    while (tasks.size < TOLD / 2) {
      const task = await fixtures.task(project, owner);
      tasks.add(task);
      await fixtures.revision(task);
      await fixtures.taskStatus(task, 'awaiting_approval');
    }
  };
  await Promise.all(Array.from({ length: 8 }, each));
  // No server runs yet, so each event is still there.
  const { events } = await db.one<{ events: number }>(sql`
    select count(*)::integer as events from webhook_event`);
  for (let round = 1; round <= ROUNDS; round += 1) await killEverything(round);
  await start();
  const left = async () =>
    (
      await db.one<{ n: number }>(sql`
        select ((select count(*) from notification_event) + (select count(*) from webhook_event)
                + (select count(*) from notification_thread where due_at is not null)
                + (select count(*) from mail where status = 'queued')
                + (select count(*) from webhook_delivery where state <> 'delivered'))::integer
               as n`)
    ).n;
  await until('all are told', async () => (await left()) === 0, WITHIN);

  // Each task has one mail and each event one delivery, however many copies of it were sent.
  const mailsOf = new Map<string, Set<string>>();
  for (const { raw, messageId } of mails.received) {
    const task = /\/tasks\/([0-9a-f-]{36})/.exec(raw.replaceAll('=\n', ''))?.[1] ?? '';
    mailsOf.set(task, (mailsOf.get(task) ?? new Set()).add(messageId));
  }
  for (const task of tasks) assert.equal(mailsOf.get(task)?.size, 1, `mails about ${task}`);
  assert.equal(mailsOf.size, tasks.size);
  assert.deepEqual(new Set(receiver.messages.map(({ data }) => data.task_id)), tasks);
  assert.equal(deliveryIds().size, events);
  const stored = await db.many<{ id: string }>(sql`
    select id from webhook_delivery where endpoint_id = ${hook}`);
  assert.deepEqual(deliveryIds(), new Set(stored.map(({ id }) => id)));
  const told = tasks.size + events;
  const copies = mails.received.length + receiver.messages.length - told;
  t.diagnostic(`${told} told, with ${copies} copies`);
});
