import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { rotate } from '../../../platform/sealing/rotate.ts';
import { openSealing } from '../../../platform/sealing/sealing.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { decrypt, startPushService } from '../../../testing/fakes/push-service.ts';
import { SERVER_SECRET } from '../../../testing/fixtures/erp/odoo-connections.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { notificationWork } from '../background.ts';
import { encrypt } from './encrypt.ts';
import { readVapidKey, sealedPushKey, sealedPushSubscriptions } from './sealed-push.ts';
import { sendPushes } from './send-pushes.ts';

/** What browsers are told, and which. */

const harness = await startHarness({ own: true, env: { WEBHOOK_ALLOW_HTTP: 'true' } });
const { db, fixtures, unchanged } = harness;
const sealing = openSealing({ current: SERVER_SECRET }, 'push');
const vapid = await readVapidKey(db, sealing);
const warned: unknown[] = [];
const log = { info() {}, warn: (said: unknown) => warned.push(said) } as never;
const outgoing = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });
const senderWith = (through = outgoing) =>
  sendPushes(db, { outgoing: through, sealing, vapid, subject: 'mailto:a@guild.example', log });
const work = notificationWork(db, { mails: false, sendPushes: senderWith(), log });

async function told(user: User) {
  const service = await startPushService();
  const browser = await signedIn(harness, user);
  const reply = await browser.request('PUT', '/auth/push', { body: service.subscription });
  assert.equal(reply.status, 204, reply.text);
  return { service, browser };
}
const subscribed = async (browser: { request: typeof harness.request }): Promise<boolean> =>
  (await browser.request('GET', '/auth/push')).body.subscribed;
async function waiting(by: User): Promise<string> {
  const project = await fixtures.project({ organizationId: await fixtures.workspace(by) });
  const task = await fixtures.task(project, by);
  await fixtures.revision(task);
  await fixtures.taskStatus(task, 'awaiting_approval');
  return task;
}
const comeDue = () => db.many(sql`update push_message set due_at = now() where due_at is not null`);

test('what is encrypted is the vector of RFC 8291', () => {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const text = 'When I grow up, I want to be a watermelon';
  const auth = bytes('BTBZMqHH6r4Tts7J_aSIgg');
  const body = encrypt(
    Buffer.from(text),
    {
      p256dh: bytes(
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      ),
      auth,
    },
    {
      salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
      privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    },
  );
  assert.equal(
    body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
  assert.equal(decrypt(body, bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'), auth), text);
});

test('a waiting plan is shown by the browser, once, signed with the key that pages subscribe with', async () => {
  const user = await fixtures.user();
  const { service, browser } = await told(user);
  const task = await waiting(user);
  await Promise.all([
    work.round(),
    notificationWork(db, { mails: false, sendPushes: senderWith(), log }).round(),
  ]);
  await work.round();
  assert.deepEqual(
    service.shown.map(({ title, url, tag }) => [title, url.endsWith(`/tasks/${task}`), tag]),
    [['A plan waits for approval', true, task]],
  );
  const { body } = await browser.request('GET', '/auth/push');
  assert.deepEqual(body, { public_key: service.applicationKey(), subscribed: true });
  const { public_key } = await db.one<{ public_key: Buffer }>(sql`select public_key from push_key`);
  assert.equal(public_key.toString('base64url'), body.public_key);
  await unchanged(() => work.round());
});

test('a browser that is gone is forgotten; a service that fails is asked again with the newest', async () => {
  const user = await fixtures.user();
  for (const status of [404, 410]) {
    const { service, browser } = await told(user);
    service.answer(status);
    await waiting(user);
    await work.round();
    assert.equal(await subscribed(browser), false);
  }
  const { service, browser } = await told(user);
  service.answer(503);
  const task = await waiting(user);
  await work.round();
  assert.equal(await subscribed(browser), true);
  service.answer(201);
  await fixtures.taskStatus(task, 'failed');
  await comeDue();
  await work.round();
  await comeDue();
  await work.round();
  assert.deepEqual(
    service.shown.map(({ title }) => title),
    ['Failed'],
  );
});

test('1,000 events of a task are two messages at most', async () => {
  const user = await fixtures.user();
  const { service } = await told(user);
  const task = await waiting(user);
  await work.round();
  await fixtures.taskStatus(task, 'failed');
  await harness.owner(sql`
    insert into notification_event (noted_at, type, project_id, task_id, data)
    select clock_timestamp(), 'task.checks_failed', project_id, id, '{}'
      from task, generate_series(1, 1000) where id = ${task}`);
  await work.round();
  assert.equal(service.shown.length, 1);
  await comeDue();
  await work.round();
  assert.deepEqual(
    service.shown.map(({ title }) => title),
    ['A plan waits for approval', 'Checks have failed'],
  );
});

test('nothing is sent after the session, the right or the wish has ended, nor to another person on the same browser', async () => {
  const user = await fixtures.user();
  const [first, second] = [await told(user), await told(user)];
  const other = await signedIn(harness, await fixtures.user());
  // Another person signs in on the second browser.
  await other.request('PUT', '/auth/push', { body: second.service.subscription });
  assert.equal(await subscribed(second.browser), false);
  await waiting(user);
  await notificationWork(db, { mails: false, log }).round();
  await first.browser.request('POST', '/auth/sign-out', { body: {} });
  await work.round();
  assert.deepEqual([...first.service.shown, ...second.service.shown], []);

  const third = await told(user);
  await harness.request('PUT', '/api/account/notifications', {
    key: user.key,
    body: { push: false },
  });
  await waiting(user);
  await work.round();
  assert.deepEqual(third.service.received, []);
});

test('an address inside is not asked: push leaves through the guard of outgoing requests', async () => {
  const user = await fixtures.user();
  const { service } = await told(user);
  await waiting(user);
  const guarded = openOutgoing({ allowedNetworks: [], allowHttp: true });
  await notificationWork(db, { mails: false, sendPushes: senderWith(guarded), log }).round();
  assert.deepEqual(service.received, []);
});

test('race: of two tabs, and of two people on one browser, one wins, and none fails', async () => {
  const people = [await fixtures.user(), await fixtures.user()];
  const browsers = await Promise.all(people.map((user) => signedIn(harness, user)));
  const { subscription } = await startPushService();
  const other = await startPushService();
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all(
      [...browsers, ...browsers].map((browser, n) =>
        browser.request('PUT', '/auth/push', {
          body: n < 2 ? subscription : other.subscription,
        }),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [204]);
  }
  const left = await db.many(sql`
    select from push_subscription where user_id = any(${people.map(({ id }) => id)}::uuid[])`);
  assert.ok(left.length === 1 || left.length === 2);
});

test('422: what is no subscription is refused, and nothing is stored', async () => {
  const browser = await signedIn(harness, await fixtures.user());
  const { subscription } = await startPushService();
  for (const change of [
    { endpoint: 'ftp://push.example/1234' },
    { endpoint: 'https://user:password@push.example/' },
    { endpoint: 'javascript:alert(1)' },
    { p256dh: 'A'.repeat(87) },
    { auth: 'short' },
  ]) {
    const body = { ...subscription, ...change };
    const reply = await unchanged(() => browser.request('PUT', '/auth/push', { body }));
    assert.equal(reply.status, 422, JSON.stringify(change));
  }
  const { status } = await unchanged(() => browser.request('DELETE', '/auth/push'));
  assert.equal(status, 204);
});

test('neither the address nor the key is in the database in clear, and both are sealed anew with another secret', async () => {
  const user = await fixtures.user();
  const { service } = await told(user);
  const { text } = await db.one<{ text: string }>(sql`
    select string_agg(to_jsonb(s)::text, '') || (select to_jsonb(k)::text from push_key k) as text
      from push_subscription s`);
  assert.ok(
    !text.includes(service.subscription.endpoint) && !text.includes(service.subscription.auth),
  );
  const secrets = { current: 'another secret that is long enough', previous: SERVER_SECRET };
  const done = await rotate(db, secrets, [sealedPushKey, sealedPushSubscriptions]);
  assert.deepEqual(
    done.map(({ unopened }) => unopened),
    [[], []],
  );
  assert.ok(done.every(({ sealed }) => sealed > 0));
  const anew = openSealing({ current: secrets.current }, 'push');
  assert.deepEqual((await readVapidKey(db, anew)).publicKey, vapid.publicKey);
  assert.deepEqual(warned, []);
});
