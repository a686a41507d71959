import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Stripe from 'stripe';
import type { FakeStripe } from './fake.ts';
import { FAKE_WEBHOOK_SECRET, startFakeStripe } from './server.ts';

let fake: FakeStripe;
let serial = 0;
const key = () => `key-${++serial}`;

before(async () => {
  fake = await startFakeStripe();
});
after(() => fake.close());

async function post(
  path: string,
  params: Record<string, string>,
  idempotencyKey?: string,
  bearer = fake.secretKey,
) {
  const response = await fetch(fake.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    },
    body: new URLSearchParams(params),
  });
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  const body = (await response.json()) as {
    id: string;
    status: string;
    error?: Record<string, string>;
  };
  return { status: response.status, replayed, body };
}

const intent = (token = 'pm_card_visa', more = {}) =>
  post('/v1/payment_intents', { amount: '500', currency: 'usd', payment_method: token, ...more });

async function charged(token?: string): Promise<string> {
  const { body } = await intent(token);
  await post(`/v1/payment_intents/${body.id}/confirm`, { off_session: 'true' });
  return body.id;
}

describe('fake Stripe: idempotency', () => {
  it('replays the first answer under a key, also when it was an error', async () => {
    const { body } = await intent('pm_card_chargeDeclined');
    const confirmKey = key();
    const first = await post(`/v1/payment_intents/${body.id}/confirm`, {}, confirmKey);
    const second = await post(`/v1/payment_intents/${body.id}/confirm`, {}, confirmKey);
    assert.equal(first.status, 402);
    assert.equal(first.replayed, false);
    assert.deepEqual(second, { ...first, replayed: true });
  });

  it('refuses a key that comes with other parameters or for another path', async () => {
    const mine = key();
    const params = { amount: '500', currency: 'usd' };
    await post('/v1/payment_intents', params, mine);
    const other = await post('/v1/payment_intents', { ...params, amount: '600' }, mine);
    assert.deepEqual([other.status, other.body.error?.type], [400, 'idempotency_error']);
    assert.equal((await post('/v1/customers', params, mine)).body.error?.type, 'idempotency_error');
  });

  it('turns a key away while its first request is being executed', async () => {
    const { body } = await intent();
    const path = `/v1/payment_intents/${body.id}/confirm`;
    const mine = key();
    fake.fault({ match: `POST ${path}`, kind: 'slow', ms: 200 });
    const [slow, fast] = await Promise.all([post(path, {}, mine), post(path, {}, mine)]);
    assert.deepEqual([slow.status, slow.body.status], [200, 'succeeded']);
    assert.deepEqual([fast.status, fast.body.error?.code], [409, 'idempotency_key_in_use']);
    assert.deepEqual(await post(path, {}, mine), { ...slow, replayed: true });
  });

  it('keeps nothing under a key when the parameters were wrong: the next request is executed', async () => {
    const mine = key();
    assert.equal(
      (await post('/v1/payment_intents', { amount: 'x', currency: 'usd' }, mine)).status,
      400,
    );
    assert.equal(
      (await post('/v1/payment_intents', { amount: '500', currency: 'usd' }, mine)).status,
      200,
    );
  });

  it('refuses an unknown key, and a parameter that the pinned version has dropped', async () => {
    assert.equal((await post('/v1/customers', {}, undefined, 'sk_test_other')).status, 401);
    const { body } = await intent('pm_card_visa', { 'payment_method_types[0]': 'card' });
    assert.equal(body.error?.code, 'parameter_unknown');
  });
});

describe('fake Stripe: money', () => {
  it('moves money once, when an intent is confirmed, and never after a cancel', async () => {
    const { body } = await intent('pm_card_visa', { 'metadata[top_up_id]': 'once' });
    assert.equal(fake.captured('once'), 0n);
    const confirms = await Promise.all(
      [1, 2, 3].map(() => post(`/v1/payment_intents/${body.id}/confirm`, {}, key())),
    );
    assert.deepEqual(confirms.map(({ status }) => status).sort(), [200, 400, 400]);
    assert.equal(fake.captured('once'), 5_000_000n);
    const canceled = await intent();
    await post(`/v1/payment_intents/${canceled.body.id}/cancel`, {});
    const late = await post(`/v1/payment_intents/${canceled.body.id}/confirm`, {});
    assert.equal(late.body.error?.code, 'payment_intent_unexpected_state');
    assert.equal((await post(`/v1/payment_intents/${body.id}/cancel`, {})).status, 400);
  });

  it('parks an intent for the cardholder unless it is told to fail', async () => {
    const token = 'pm_card_authenticationRequired';
    const attended = await intent(token);
    const parked = await post(`/v1/payment_intents/${attended.body.id}/confirm`, {});
    assert.deepEqual([parked.status, parked.body.status], [200, 'requires_action']);
    const { body } = await intent(token);
    const failed = await post(`/v1/payment_intents/${body.id}/confirm`, {
      error_on_requires_action: 'true',
    });
    assert.deepEqual([failed.status, failed.body.error?.code], [402, 'authentication_required']);
  });

  it('refunds up to the captured amount; a refund that fails later brings the money back', async () => {
    const id = await charged();
    const start = fake.net();
    const part = await post('/v1/refunds', { payment_intent: id, amount: '200' });
    assert.equal((await post('/v1/refunds', { payment_intent: id, amount: '301' })).status, 400);
    await post('/v1/refunds', { payment_intent: id });
    assert.equal(fake.net() - start, -5_000_000n);
    const again = await post('/v1/refunds', { payment_intent: id });
    assert.equal(again.body.error?.code, 'charge_already_refunded');
    fake.failRefund(part.body.id);
    assert.equal(fake.net() - start, -3_000_000n);
  });

  it('disputes take the funds and give them back when they are won', async () => {
    const id = await charged();
    const start = fake.net();
    const { id: disputeId } = fake.dispute(id);
    assert.equal(fake.net() - start, -5_000_000n);
    fake.closeDispute(disputeId, 'won');
    assert.equal(fake.net(), start);
    const types = fake.state.events
      .slice(-4)
      .map(({ type }) => type.replace('charge.dispute.', ''));
    assert.deepEqual(types, ['created', 'funds_withdrawn', 'closed', 'funds_reinstated']);
    await charged('pm_card_createDispute');
    assert.equal(fake.movements.at(-1)?.kind, 'dispute_withdrawn');
  });
});

describe('fake Stripe: events', () => {
  const received: Stripe.Event[] = [];
  let answers: number[] = [];
  // As Guildhall does it: the SDK checks the signature over the raw bytes.
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const signature = request.headers['stripe-signature'] ?? '';
    const event = Stripe.webhooks.constructEvent(
      Buffer.concat(chunks),
      signature,
      FAKE_WEBHOOK_SECRET,
    );
    const status = answers.shift() ?? 200;
    if (status === 200) received.push(event);
    response.writeHead(status).end();
  });

  before(async () => {
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    fake.webhook(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks/stripe`);
    await fake.deliver();
  });
  after(() => void receiver.close());

  const ids = () => received.splice(0).map(({ id }) => id);

  it('are signed, and sent in the order and as often as is asked', async () => {
    await charged();
    const fresh = fake.state.events.slice(-3).map(({ id }) => id);
    received.splice(0);
    await fake.deliver({ order: 'newest', duplicate: 2 });
    assert.deepEqual(
      ids(),
      fresh.toReversed().flatMap((id) => [id, id]),
    );
    assert.deepEqual(await fake.deliver(), []);
    await fake.deliver({ order: [fresh[1] ?? '', fresh[0] ?? '', fresh[1] ?? ''] });
    assert.deepEqual(ids(), [fresh[1], fresh[0], fresh[1]]);
    await fake.deliver({
      order: 'shuffled',
      duplicate: 3,
      again: true,
      types: ['charge.succeeded'],
    });
    assert.equal(ids().filter((id) => id === fresh[1]).length, 3);
  });

  it('are sent again until they are answered 2xx, in automatic mode as they happen', async () => {
    answers = [500];
    fake.automatic({ duplicate: 2 });
    await post('/v1/customers', {});
    const deadline = Date.now() + 5_000;
    while (received.length < 2 && Date.now() < deadline)
      await new Promise((done) => setTimeout(done, 20));
    fake.automatic();
    assert.deepEqual(
      received.splice(0).map(({ type }) => type),
      ['customer.created', 'customer.created'],
    );
  });
});

describe('fake Stripe: a process of its own', () => {
  const command = async (name: string, body?: unknown) => {
    const response = await fetch(`${fake.controlUrl}/_control/${name}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await response.json()) as never;
  };

  it('is driven over HTTP: faults, disputes, movements, its port', async () => {
    const { body } = await intent('pm_card_visa', { 'metadata[top_up_id]': 'remote' });
    const path = `/v1/payment_intents/${body.id}/confirm`;
    await command('fault', { match: 'POST /v1/payment_intents/:id/confirm', kind: 'dropAfter' });
    await assert.rejects(post(path, {}, 'remote'));
    assert.equal((await post(path, {}, 'remote')).replayed, true);
    await command('dispute', { top_up_id: 'remote', amount: 100 });
    assert.equal(await command('captured?top_up_id=remote'), '5000000');
    const movements: { kind: string; amount: string; topUpId: string }[] =
      await command('movements');
    const mine = movements
      .filter(({ topUpId }) => topUpId === 'remote')
      .map((one) => [one.kind, one.amount]);
    assert.deepEqual(mine, [
      ['capture', '5000000'],
      ['dispute_withdrawn', '1000000'],
    ]);
    await command('close-port', {});
    await assert.rejects(intent());
    await command('open-port', {});
    assert.equal((await intent()).status, 200);
  });

  it('goes on from the state of an earlier one', async () => {
    const id = await charged();
    const next = await startFakeStripe({ state: fake.state });
    const headers = { authorization: `Bearer ${next.secretKey}` };
    const response = await fetch(`${next.url}/v1/payment_intents/${id}`, { headers });
    assert.equal(((await response.json()) as { status: string }).status, 'succeeded');
    await next.close();
  });
});
