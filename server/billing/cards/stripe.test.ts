import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import type { FakeStripe } from '../../testing/fakes/fake-stripe/fake.ts';
import type { FaultKind } from '../../testing/fakes/fake-stripe/faults.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import type { CustomerStore } from './customers.ts';
import type { Charge, Outcome } from './processor.ts';
import { stripeProcessor } from './stripe.ts';
import { scrub } from './stripe-outcomes.ts';
import { DECLINING_CARDS } from './test-cards.ts';

const AMOUNT = 25_000_000n;
/** How long `hasty` waits for an answer, in milliseconds. */
const TIMEOUT = 400;
const CREATE = 'POST /v1/payment_intents';
const CONFIRM = 'POST /v1/payment_intents/:id/confirm';

const fakes: FakeStripe[] = [];
after(() => Promise.all(fakes.map((fake) => fake.close())));

function customerStore(): CustomerStore {
  const known = new Map<string, string>();
  return {
    get: async (accountId) => known.get(accountId),
    put: async (accountId, id) => {
      if (!known.has(accountId)) known.set(accountId, id);
      return known.get(accountId) ?? id;
    },
    forget: async (accountId) => void known.delete(accountId),
  };
}

async function setUp(options: { secretKey?: string; apiBase?: string } = {}) {
  const fake = await startFakeStripe();
  fakes.push(fake);
  const access = { secretKey: fake.secretKey, apiBase: fake.url, ...options };
  const customers = customerStore();
  const stripe = stripeProcessor({ ...access, customers });
  // Only for calls that a fault leaves unanswered: a busy machine answers others late, too.
  const hasty = stripeProcessor({ ...access, customers, timeoutMs: TIMEOUT });
  return { fake, stripe, hasty };
}

function charge(token = 'pm_card_visa'): Charge {
  const accountId = randomUUID();
  return { topUpId: randomUUID(), accountId, payerAccountId: accountId, amount: AMOUNT, token };
}

// Every outcome of these tests goes through here: nothing secret may be in one.
function kind(outcome: Outcome): Outcome['kind'] {
  // An id is random: it may have any digits.
  const shown = JSON.stringify(outcome).replaceAll(/\b(pi|req)_\w+/g, '$1_');
  assert.doesNotMatch(shown, /sk_|whsec_|fake_key|4242/);
  return outcome.kind;
}

function intentOf(outcome: Outcome): string {
  assert.ok('intentId' in outcome && outcome.intentId, `no intent: ${JSON.stringify(outcome)}`);
  return outcome.intentId;
}

describe('stripe: the path of a charge', { concurrency: true }, () => {
  it('records without charging, charges once, and repeats change nothing', async () => {
    const { fake, stripe } = await setUp();
    const it = charge();
    const created = await stripe.create(it);
    assert.equal(kind(created), 'open');
    assert.equal(fake.captured(it.topUpId), 0n);
    const intentId = intentOf(created);
    assert.deepEqual(await stripe.create(it), created);
    assert.deepEqual(await stripe.confirm(intentId, it), { kind: 'succeeded', intentId });
    assert.deepEqual(await stripe.confirm(intentId, it), { kind: 'succeeded', intentId });
    fake.forgetKeys(); // 24 hours later
    assert.deepEqual(await stripe.confirm(intentId, it), { kind: 'succeeded', intentId });
    assert.deepEqual(await stripe.cancel(intentId), { kind: 'succeeded', intentId });
    assert.equal(fake.captured(it.topUpId), AMOUNT);
    assert.equal(fake.movements.length, 1);
    const [intent] = [...fake.state.intents.values()];
    assert.deepEqual({ ...intent?.metadata }, { top_up_id: it.topUpId, account_id: it.accountId });
  });

  it('sends only keys of ours, and one customer for one payer', async () => {
    const { fake, stripe } = await setUp();
    const first = charge();
    const second = { ...charge(), payerAccountId: first.payerAccountId };
    const outcomes = await Promise.all([stripe.create(first), stripe.create(second)]);
    await stripe.cancel(intentOf(outcomes[0]));
    assert.equal(fake.state.customers.size, 1);
    const keys = fake.requests
      .filter(({ method }) => method === 'POST')
      .map(({ key }) => key ?? 'none');
    assert.ok(keys.includes(`account:${first.payerAccountId}:customer`));
    assert.ok(
      keys.includes(`topup:${first.topUpId}:create:${[...fake.state.customers.keys()][0]}`),
    );
    assert.ok(keys.every((key) => /^(account|topup|intent):/.test(key)));
  });

  for (const [token, decline] of DECLINING_CARDS) {
    it(`declines ${token} as ${decline.declineCode ?? decline.code}, and nothing can charge it after a cancel`, async () => {
      const { fake, stripe } = await setUp();
      const it = charge(token);
      const intentId = intentOf(await stripe.create(it));
      const declined = { kind: 'declined', intentId, decline };
      assert.deepEqual(await stripe.confirm(intentId, it), declined);
      assert.deepEqual(await stripe.confirm(intentId, it), declined);
      assert.deepEqual(await stripe.retrieve(intentId), declined);
      assert.deepEqual(await stripe.cancel(intentId), { kind: 'canceled', intentId });
      fake.forgetKeys();
      assert.deepEqual(await stripe.confirm(intentId, it), { kind: 'canceled', intentId });
      assert.deepEqual(fake.movements, []);
    });
  }

  it('a card that is unknown, detached or another customer’s is gone', async () => {
    const { fake, stripe } = await setUp();
    assert.equal(kind(await stripe.create(charge('pm_1NeverSaved'))), 'cardGone');
    fake.card('pm_1Foreign', { behaviour: 'pays', customer: 'cus_other' });
    assert.equal(kind(await stripe.create(charge('pm_1Foreign'))), 'cardGone');
    fake.card('pm_1Mine', { behaviour: 'pays' });
    const it = charge('pm_1Mine');
    const intentId = intentOf(await stripe.create(it));
    fake.detach('pm_1Mine');
    assert.equal(kind(await stripe.create(charge('pm_1Mine'))), 'cardGone');
    assert.equal(kind(await stripe.confirm(intentId, it)), 'cardGone');
    assert.deepEqual(fake.movements, []);
  });

  it('an intent that is processing is unknown, one that waits for the cardholder refused', async () => {
    const { fake, stripe } = await setUp();
    const intentId = intentOf(await stripe.create(charge()));
    const intent = fake.state.intents.get(intentId);
    assert.ok(intent);
    intent.status = 'processing';
    assert.equal(kind(await stripe.retrieve(intentId)), 'unknown');
    assert.equal(kind(await stripe.cancel(intentId)), 'unknown');
    assert.equal(kind(await stripe.confirm(intentId, charge())), 'unknown');
    intent.status = 'requires_action';
    const decline = { code: 'authentication_required' };
    assert.deepEqual(await stripe.retrieve(intentId), { kind: 'declined', intentId, decline });
  });
});

/** What money.md demands: [struck once, struck every time], at create and at confirm alike. */
const FAULTS: Record<FaultKind, [once: string, always: string]> = {
  dropBefore: ['done', 'unknown'],
  dropAfter: ['done', 'unknown'],
  hang: ['done', 'unknown'],
  truncate: ['unknown', 'unknown'],
  '500saved': ['unknown', 'unknown'],
  '502html': ['done', 'unknown'],
  slow: ['unknown', 'unknown'],
  refuse: ['unknown', 'unknown'],
  closeAfter: ['done', 'done'],
  rateLimit: ['notExecuted', 'notExecuted'],
  lockTimeout: ['unknown', 'unknown'],
};

const isUnanswered = (name: FaultKind) => name === 'hang' || name === 'slow';

// What `hasty` repeats has to be answered in time: not too many at once.
describe('stripe: every fault', { concurrency: 8 }, () => {
  for (const [name, expected] of Object.entries(FAULTS) as [FaultKind, [string, string]][]) {
    for (const [times, wanted] of [[1, expected[0]] as const, [9, expected[1]] as const]) {
      const fault = { kind: name, times, ms: TIMEOUT * 12 };
      const how = times === 1 ? 'once' : 'every time';

      it(`${name} ${how} at create: ${wanted}; no money moves, and a repeat makes one intent`, async () => {
        const { fake, stripe, hasty } = await setUp();
        const struck = isUnanswered(name) ? hasty : stripe;
        const it = charge();
        await stripe.create({ ...charge(), payerAccountId: it.payerAccountId }); // makes the customer
        fake.fault({ match: CREATE, ...fault });
        assert.equal(kind(await struck.create(it)), wanted === 'done' ? 'open' : wanted);
        await calm(fake);
        assert.equal(kind(await stripe.create(it)), name === '500saved' ? 'unknown' : 'open');
        const made = [...fake.state.intents.values()].filter(
          (one) => one.metadata.top_up_id === it.topUpId,
        );
        assert.equal(made.length, 1);
        assert.deepEqual(fake.movements, []);
      });

      it(`${name} ${how} at confirm: ${wanted}; the card is charged once, whatever is repeated`, async () => {
        const { fake, stripe, hasty } = await setUp();
        const struck = isUnanswered(name) ? hasty : stripe;
        const it = charge();
        const intentId = intentOf(await stripe.create(it));
        fake.fault({ match: CONFIRM, ...fault });
        assert.equal(
          kind(await struck.confirm(intentId, it)),
          wanted === 'done' ? 'succeeded' : wanted,
        );
        await calm(fake);
        // The saved 500 is all that a repeat will ever hear; a look at the intent tells the truth.
        assert.equal(
          kind(await stripe.confirm(intentId, it)),
          name === '500saved' ? 'unknown' : 'succeeded',
        );
        assert.equal(kind(await stripe.retrieve(intentId)), 'succeeded');
        assert.equal(kind(await stripe.cancel(intentId)), 'succeeded');
        assert.equal(fake.captured(it.topUpId), AMOUNT);
        assert.equal(fake.movements.length, 1);
      });
    }

    it(`${name} at a read or a cancel is never taken for an answer about the charge`, async () => {
      const { fake, stripe, hasty } = await setUp();
      const struck = isUnanswered(name) ? hasty : stripe;
      const it = charge();
      const intentId = intentOf(await stripe.create(it));
      await stripe.confirm(intentId, it);
      fake.fault({ match: 'GET /v1/payment_intents/:id', kind: name, times: 9, ms: TIMEOUT * 12 });
      const read = kind(await struck.retrieve(intentId));
      assert.equal(read, name === 'closeAfter' ? 'succeeded' : 'unknown');
      assert.equal(await struck.movements(intentId), undefined);
      assert.equal(kind(await struck.cancel(intentId)), 'unknown');
    });
  }
});

async function calm(fake: FakeStripe): Promise<void> {
  fake.clearFaults();
  await fake.openPort();
  // What `slow` holds back is executed in the end.
  const busy = () => [...fake.state.answers.values()].some(({ answer }) => answer === undefined);
  while (busy()) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('stripe: certainly nothing executed', { concurrency: true }, () => {
  it('a refused connection, an unknown host, a wrong key: not executed, and no secret in the reason', async () => {
    const { fake, stripe } = await setUp();
    const it = charge();
    const intentId = intentOf(await stripe.create(it));
    await fake.closePort();
    assert.equal(kind(await stripe.create(charge())), 'notExecuted');
    assert.equal(kind(await stripe.confirm(intentId, it)), 'notExecuted');
    assert.equal(kind(await stripe.retrieve(intentId)), 'unknown');
    assert.equal(kind(await stripe.cancel(intentId)), 'unknown');
    await fake.openPort();
    const { stripe: wrongKey } = await setUp({
      secretKey: 'sk_live_fake_key_of_somebody',
      apiBase: fake.url,
    });
    assert.equal(kind(await wrongKey.create(charge())), 'notExecuted');
    assert.equal(kind(await wrongKey.confirm(intentId, it)), 'notExecuted');
    const { stripe: nowhere } = await setUp({ apiBase: 'http://stripe.invalid' });
    assert.equal(kind(await nowhere.create(charge())), 'notExecuted');
    assert.deepEqual(fake.movements, []);
  });

  it('a refused connection after an attempt that may have charged is unknown', async () => {
    const { fake, stripe } = await setUp();
    const it = charge();
    const intentId = intentOf(await stripe.create(it));
    fake.fault({ match: CONFIRM, kind: 'refuse', executes: true });
    assert.equal(kind(await stripe.confirm(intentId, it)), 'unknown');
  });

  it('keys and card numbers are scrubbed from any text', () => {
    const text = scrub(
      'sk_live_51Abc0123456789 rk_test_9876543210 whsec_abcdefghijklmnop== 4242 4242 4242 4242 5555555555554444 req_123',
    );
    assert.doesNotMatch(text, /51Abc|_98|abc|4242|5555/);
    assert.match(text, /req_123/);
  });
});
