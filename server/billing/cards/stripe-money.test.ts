import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { FakeStripe } from '../../testing/fakes/fake-stripe/fake.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import type { Processor, ProcessorEvent } from './processor.ts';
import { stripeProcessor, verifyWebhook } from './stripe.ts';

describe('stripe: after the charge', () => {
  let fake: FakeStripe;
  let stripe: Processor;

  before(async () => {
    fake = await startFakeStripe();
    const customers = {
      get: async () => undefined,
      put: async (_: string, id: string) => id,
      forget: async () => {},
    };
    const access = { secretKey: fake.secretKey, apiBase: fake.url };
    stripe = stripeProcessor({ ...access, customers });
  });
  after(() => fake.close());

  async function captured(amount = 10_000_000n, token = 'pm_card_visa'): Promise<string> {
    const topUpId = randomUUID();
    const accountId = randomUUID();
    const charge = { topUpId, accountId, payerAccountId: accountId, amount, token };
    const created = await stripe.create(charge);
    assert.equal(created.kind, 'open');
    assert.equal((await stripe.confirm(created.intentId, charge)).kind, 'succeeded');
    return created.intentId;
  }

  it('refunds in parts, once under a key, and never more than was captured', async () => {
    const intentId = await captured();
    assert.deepEqual(await stripe.refund(intentId, 3_000_000n, 'refund:a'), { kind: 'refunded' });
    assert.deepEqual(await stripe.refund(intentId, 3_000_000n, 'refund:a'), { kind: 'refunded' });
    assert.equal((await stripe.refund(intentId, 8_000_000n, 'refund:b')).kind, 'refused');
    assert.equal((await stripe.refund(intentId, 10_001n, 'refund:c')).kind, 'refused');
    assert.equal((await stripe.movements(intentId))?.refunded, 3_000_000n);
    assert.deepEqual(await stripe.refund(intentId, 7_000_000n, 'refund:d'), { kind: 'refunded' });
    assert.equal((await stripe.refund(intentId, 10_000n, 'refund:e')).kind, 'refused');
    const moved = { captured: 10_000_000n, refunded: 10_000_000n, disputes: [] };
    const refundIds = ['refund:d', 'refund:a'];
    assert.deepEqual(await stripe.movements(intentId), { ...moved, refundIds });
  });

  it('a refund whose answer was lost is unknown, and its key tells what became of it', async () => {
    const intentId = await captured();
    fake.fault({ match: 'POST /v1/refunds', kind: 'truncate' });
    assert.equal((await stripe.refund(intentId, 4_000_000n, 'refund:lost')).kind, 'unknown');
    assert.equal((await stripe.refund(intentId, 4_000_000n, 'refund:lost')).kind, 'refunded');
    fake.fault({ match: 'POST /v1/refunds', kind: 'rateLimit' });
    assert.equal((await stripe.refund(intentId, 1_000_000n, 'refund:later')).kind, 'unknown');
    assert.equal((await stripe.movements(intentId))?.refunded, 4_000_000n);
  });

  it('says what a dispute holds back: withdrawn, then reinstated or lost', async () => {
    const [won, lost] = [await captured(), await captured()];
    const first = fake.dispute(won);
    const second = fake.dispute(lost, { amount: 400 });
    assert.deepEqual((await stripe.movements(won))?.disputes, [
      { id: first.id, withdrawn: 10_000_000n },
    ]);
    assert.equal((await stripe.refund(won, 10_000n, 'refund:disputed')).kind, 'refused');
    fake.closeDispute(first.id, 'won');
    fake.closeDispute(second.id, 'lost');
    assert.deepEqual((await stripe.movements(won))?.disputes, [{ id: first.id, withdrawn: 0n }]);
    assert.deepEqual((await stripe.movements(lost))?.disputes, [
      { id: second.id, withdrawn: 4_000_000n },
    ]);
  });

  it('lists every event since a time, oldest first, over many pages', async () => {
    const since = new Date();
    for (let i = 0; i < 40; i++) await captured(1_000_000n);
    const listed: ProcessorEvent[] = [];
    for await (const event of stripe.events(since)) listed.push(event);
    const second = Math.floor(since.getTime() / 1000);
    const expected = fake.state.events.filter(({ created }) => created >= second);
    assert.ok(listed.length > 100);
    assert.deepEqual(
      listed.map(({ id }) => id),
      expected.map(({ id }) => id),
    );
    const charged = listed.find(({ type }) => type === 'charge.succeeded');
    assert.ok(charged?.intentId?.startsWith('pi_'));
    await fake.closePort();
    await assert.rejects(async () => {
      for await (const _ of stripe.events(since)) assert.fail('an event from nowhere');
    });
    await fake.openPort();
  });

  it('believes a webhook only on its raw bytes, with our secret, within five minutes', async () => {
    const intentId = await captured();
    const event = fake.state.events.findLast(({ type }) => type === 'payment_intent.succeeded');
    const { body, header } = fake.sign(event);
    const secret = fake.webhookSecret;
    const seconds = Math.floor(Date.now() / 1000);
    const verified = verifyWebhook(Buffer.from(body), header, secret);
    assert.deepEqual(verified, {
      id: event?.id,
      type: 'payment_intent.succeeded',
      createdAt: new Date((event?.created ?? 0) * 1000),
      intentId,
    });
    assert.equal(verifyWebhook(Buffer.from(body.replace('{', '{ ')), header, secret), undefined);
    assert.equal(verifyWebhook(Buffer.from(body), header, 'whsec_other'), undefined);
    assert.equal(verifyWebhook(Buffer.from(body), undefined, secret), undefined);
    assert.equal(verifyWebhook(Buffer.from(body), 'nonsense', secret), undefined);
    assert.equal(verifyWebhook(Buffer.from(body), header, ''), undefined);
    const stale = fake.sign(event, { timestamp: seconds - 310 });
    assert.equal(verifyWebhook(Buffer.from(stale.body), stale.header, secret), undefined);
    const recent = fake.sign(event, { timestamp: seconds - 290 });
    assert.equal(verifyWebhook(Buffer.from(recent.body), recent.header, secret)?.id, event?.id);
    const odd = fake.sign({
      id: 'evt_1',
      object: 'event',
      type: 'balance.available',
      created: 1,
      data: { object: {} },
    });
    assert.equal(verifyWebhook(Buffer.from(odd.body), odd.header, secret)?.intentId, undefined);
  });
});
