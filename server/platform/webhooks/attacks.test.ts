import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startPeer } from '../../testing/clients/peer.ts';
import { senderOn, startReceiver } from '../../testing/fixtures/webhooks.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { openOutgoing } from '../outgoing/outgoing.ts';
import { oldDeliveries } from './queue.ts';
import { routeEvents } from './route-events.ts';

/** What endpoints of strangers can do to the server, and what two processes can do to each other. */

const harness = await startHarness({ own: true, env: { WEBHOOK_ALLOW_HTTP: 'true' } });
const { db, fixtures, request } = harness;
const owner = await fixtures.user();

interface Row {
  state: string;
  attempts: number;
  status: number | null;
  answer: string | null;
  error: string | null;
}

/** A webhook with one event that is due. */
async function due(url: string): Promise<{ id: string; project: string }> {
  const project = await fixtures.project({ userId: owner.id });
  const id = await fixtures.webhook(project, { url, types: ['task.created'] });
  await fixtures.task(project, owner);
  return { id, project };
}
const rows = (id: string) =>
  db.many<Row>(sql`
    select state, attempts, status, answer, error from webhook_delivery where endpoint_id = ${id}
     order by noted_at`);

test('an endpoint inside is refused in every spelling, and nothing reaches it', async () => {
  const inner = await startPeer((_, response) => response.end('secret'));
  const strict = senderOn(harness, {
    outgoing: openOutgoing({ allowedNetworks: [], allowHttp: true }),
  });
  const hosts = ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254'];
  for (const host of hosts) {
    const { id } = await due(`http://${host}:${inner.port}/`);
    await strict.round();
    const [row] = await rows(id);
    assert.deepEqual([row?.state, row?.status, row?.answer], ['waiting', null, null]);
    assert.match(row?.error ?? '', /network that this server does not send requests to/);
  }
  assert.deepEqual(inner.received, []);
});

test('a redirect is not followed, and what it leads to is asked nothing', async () => {
  const target = await startPeer((_, response) => response.end());
  const peer = await startPeer((_, response) => {
    response.writeHead(307, { location: `${target.url}/elsewhere` }).end();
  });
  const { id } = await due(peer.url);
  await senderOn(harness).round();
  const [row] = await rows(id);
  assert.deepEqual([row?.state, row?.status], ['waiting', 307]);
  assert.match(row?.error ?? '', /leads elsewhere/);
  assert.deepEqual(target.received, []);
});

test('of an answer without end the first characters are kept, and the connection is closed', async () => {
  let closed = false;
  let written = 0;
  const peer = await startPeer((_, response) => {
    response.writeHead(200);
    response.once('close', () => {
      closed = true;
    });
    const more = () => {
      while (!closed && written < 1024 ** 3) {
        written += 65_536;
        if (!response.write('\0é'.repeat(16_384))) return void response.once('drain', more);
      }
    };
    more();
  });
  const { id } = await due(peer.url);
  await senderOn(harness).round();
  const [row] = await rows(id);
  assert.deepEqual([row?.state, row?.status, row?.answer?.length], ['delivered', 200, 1_000]);
  assert.match(row?.answer ?? '', /^·é·é/);
  assert.ok(written < 64 * 1024 ** 2, String(written));
});

test('an endpoint that takes and never answers, or drips, is given up at the deadline', async () => {
  const peer = await startPeer((request, response) => {
    if (request.url !== '/drip') return;
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 20);
    response.once('close', () => clearInterval(drip));
  });
  const made = [await due(`${peer.url}/hang`), await due(`${peer.url}/drip`)];
  await senderOn(harness, { within: 300 }).round();
  for (const { id } of made) {
    const [row] = await rows(id);
    assert.deepEqual([row?.state, row?.attempts], ['waiting', 1]);
    assert.match(row?.error ?? '', /did not answer in time/);
  }
});

test('several processes at once: each delivery is sent once, one at a time to an endpoint, in order', async () => {
  let [now, most] = [0, 0];
  const receiver = await startReceiver(async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return 200;
  });
  const { id, project } = await due(receiver.url);
  const tasks = await Promise.all(Array.from({ length: 30 }, () => fixtures.task(project, owner)));
  const senders = Array.from({ length: 4 }, () => senderOn(harness));
  while ((await rows(id)).filter(({ state }) => state === 'delivered').length < tasks.length + 1)
    await Promise.all(senders.map((sender) => sender.round()));
  assert.equal(most, 1);
  assert.equal(new Set(receiver.messages.map(({ id }) => id)).size, receiver.messages.length);
});

test('a process whose lease has ended writes nothing over what the next one has found', async () => {
  let answered: ((status: number) => void) | undefined;
  const receiver = await startReceiver(() =>
    receiver.messages.length === 1
      ? new Promise<number>((resolve) => {
          answered = resolve;
        })
      : 200,
  );
  const { id } = await due(receiver.url);
  const first = senderOn(harness).round();
  while (answered === undefined) await new Promise((resolve) => setImmediate(resolve));
  await db.many(sql`update webhook_queue set held_until = now() where endpoint_id = ${id}`);
  await senderOn(harness).round();
  answered(500);
  await first;
  const [row] = await rows(id);
  assert.deepEqual([row?.state, row?.attempts, row?.status], ['delivered', 1, 200]);
  const [one, two] = receiver.messages;
  assert.equal(one?.id, two?.id);
});

test('moved while a request is under way, it is neither switched off nor delayed by the old address', async () => {
  let answered: ((status: number) => void) | undefined;
  const old = await startReceiver(
    () =>
      new Promise<number>((resolve) => {
        answered = resolve;
      }),
  );
  const fresh = await startReceiver();
  const { id } = await due(`${old.url}/x`);
  const first = senderOn(harness).round();
  while (answered === undefined) await new Promise((resolve) => setImmediate(resolve));
  const move = (url: string) =>
    request('PUT', `/api/webhooks/${id}`, { key: owner.key, body: { url } });
  // The same address again is no move: its answer counts.
  assert.equal((await move(`${old.url}/x`)).status, 200);
  await senderOn(harness).round();
  assert.equal(old.messages.length, 1);
  assert.equal((await move(fresh.url)).status, 200);
  answered(410);
  await first;
  const shown = (await request('GET', `/api/webhooks/${id}`, { key: owner.key })).body;
  assert.deepEqual([shown.enabled, shown.disabled_reason], [true, undefined]);
  await senderOn(harness).round();
  const [row] = await rows(id);
  assert.deepEqual([row?.state, row?.status], ['delivered', 200]);
  assert.deepEqual(
    fresh.messages.map((message) => message.id),
    old.messages.map((message) => message.id),
  );
});

test('a webhook that has failed gets what waits at once at another address', async () => {
  const broken = await startReceiver(() => 500);
  const fresh = await startReceiver();
  const { id } = await due(broken.url);
  await senderOn(harness).round();
  const { status } = await request('PUT', `/api/webhooks/${id}`, {
    key: owner.key,
    body: { url: fresh.url },
  });
  assert.equal(status, 200);
  await senderOn(harness).round();
  assert.deepEqual([broken.messages.length, fresh.messages.length], [1, 1]);
  assert.equal((await rows(id))[0]?.state, 'delivered');
});

test('deleted while a request is under way, it ends without an error, and others go on', async () => {
  let answer: (() => void) | undefined;
  const receiver = await startReceiver(
    () =>
      new Promise<number>((resolve) => {
        answer = () => resolve(200);
      }),
  );
  const { id } = await due(receiver.url);
  const warned: unknown[] = [];
  const log = { info() {}, warn: (what: unknown) => warned.push(what) } as never;
  const sending = senderOn(harness, { log }).round();
  while (answer === undefined) await new Promise((resolve) => setImmediate(resolve));
  await db.many(sql`delete from webhook_endpoint where id = ${id}`);
  answer();
  await sending;
  assert.deepEqual([await rows(id), warned], [[], []]);
});

test('deliveries of more than 30 days ago are deleted, and later ones are not', async () => {
  const project = await fixtures.project({ userId: owner.id });
  const id = await fixtures.webhook(project);
  for (let n = 0; n < 7; n += 1) await fixtures.webhookDelivery(id);
  await db.many(sql`
    update webhook_delivery set created_at = now() - interval '31 days'
     where id in (select id from webhook_delivery where endpoint_id = ${id} limit 5)`);
  assert.equal(await oldDeliveries(30).remove(db), 5);
  assert.equal((await rows(id)).length, 2);
});

test('an old delivery that waits is deleted only after those that follow it about its task', async () => {
  const receiver = await startReceiver(() => 200);
  const { id, project } = await due(receiver.url);
  await db.many(sql`
    update webhook_endpoint set event_types = '{task.created,task.plan_waiting}' where id = ${id}`);
  const { id: task } = await db.one<{ id: string }>(sql`
    select id from task where project_id = ${project}`);
  await fixtures.taskStatus(task, 'awaiting_approval');
  while ((await routeEvents(db)) > 0);
  const states = async () => (await rows(id)).map(({ state }) => state);
  assert.deepEqual(await states(), ['waiting', 'blocked']);
  const age = (state: string) =>
    db.many(sql`
      update webhook_delivery set created_at = now() - interval '31 days'
       where endpoint_id = ${id} and state = ${state}`);
  await age('waiting');
  assert.equal(await oldDeliveries(30).remove(db), 0);
  await age('blocked');
  for (const left of [['waiting'], []]) {
    assert.equal(await oldDeliveries(30).remove(db), 1);
    assert.deepEqual(await states(), left);
  }
  await fixtures.taskStatus(task, 'ready');
  await fixtures.taskStatus(task, 'awaiting_approval');
  await senderOn(harness).round();
  assert.deepEqual(await states(), ['delivered']);
});
