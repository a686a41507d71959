import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, openClient } from '../testing/clients/sockets.ts';
import { startFakeStripe } from '../testing/fakes/fake-stripe/server.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

const SECRET = 'whsec_of_this_test';
const fake = await startFakeStripe({ webhookSecret: SECRET });
after(() => fake.close());
const { url, request, fixtures, unchanged } = await startHarness({ webhookSecret: SECRET });

const head = (headers: string) =>
  `POST /webhooks/stripe HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n`;
const FORGED = `stripe-signature: t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}\r\n`;
const statusOf = (client: Client) => Number(client.text().slice(9, 12));
const isAnswered = (client: Client) => until('an answer', () => client.text() !== '');

const event = (id: string) => ({
  id,
  object: 'event',
  type: 'payment_intent.succeeded',
  created: Math.floor(Date.now() / 1000),
  data: { object: { id: 'pi_1', object: 'payment_intent' } },
});

test('400: without a signature the body is not waited for', async () => {
  await unchanged(async () => {
    for (const announced of ['content-length: 100\r\n', 'transfer-encoding: chunked\r\n']) {
      for (const signature of ['', 'stripe-signature: \r\n']) {
        const client = await openClient(url, { bytes: head(announced + signature) });
        await isAnswered(client);
        assert.match(client.text(), /^HTTP\/1\.1 400 .*"code":"signature_invalid"/s);
      }
    }
  });
});

test('503, 408: bodies that do not come give way to new ones, and end after five seconds; events and operations go on', async () => {
  const { key } = await fixtures.user();
  const bytes = head(`${FORGED}content-length: 1000000\r\n`);
  const silent: Client[] = [];
  await unchanged(async () => {
    for (let i = 0; i < 40; i++) silent.push(await openClient(url, { bytes: `${bytes}{` }));
    await until('those in excess', () => silent.filter(({ text }) => text() !== '').length === 24);
  });
  const [oldest, newest] = [silent.slice(0, 24), silent.slice(24)];
  for (const client of oldest) {
    assert.match(client.text(), /^HTTP\/1\.1 503 .*"code":"overloaded"/s);
    await until('the end', client.isCut);
  }
  const { body, header } = fake.sign(event('evt_1'));
  const signed = await request('POST', '/webhooks/stripe', {
    raw: body,
    headers: { 'stripe-signature': header },
  });
  assert.deepEqual([signed.status, signed.body], [200, { received: true }]);
  assert.equal((await request('GET', '/api/billing/balance', { key })).status, 200);

  await until('all of them', () => newest.every(({ text }) => text() !== ''), 8_000);
  assert.deepEqual(newest.map(statusOf), [503, ...Array(15).fill(408)]);
  for (const client of newest) await until('the end', client.isCut);
});
