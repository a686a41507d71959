import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../database/database.ts';
import type { FakeStripe } from '../fakes/fake-stripe/fake.ts';
import { startFakeStripe } from '../fakes/fake-stripe/server.ts';
import { fixturesOn } from '../fixtures/tenants.ts';
import { until } from '../harness/until.ts';

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const fake = await startFakeStripe();
let server: { url: string; process: ChildProcess } | undefined;
after(async () => {
  server?.process.kill('SIGKILL');
  await fake.close();
  await db.close();
  await clone.drop();
});

/** The real server, in a process of its own. */
async function startServer() {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../cli/guildhall.ts'), 'serve', '--json', '--no-work'],
    {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        DATABASE_URL: clone.url,
        SERVER_SECRET: 'a secret for tests that is long enough',
        LOG_LEVEL: 'error',
        STRIPE_SECRET_KEY: fake.secretKey,
        STRIPE_API_BASE: fake.url,
        STRIPE_TIMEOUT_MS: '60000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  for await (const line of createInterface({ input: child.stdout })) {
    text += line;
    if (line === '}') break;
  }
  return { url: JSON.parse(text).url as string, process: child };
}

interface Point {
  name: string;
  /** The request whose arrival at the processor is the moment of death. */
  fault: Parameters<FakeStripe['fault']>[0];
  token?: string;
  status: 'succeeded' | 'failed';
}

const CREATE = 'POST /v1/payment_intents';
const CONFIRM = 'POST /v1/payment_intents/:id/confirm';
const CANCEL = 'POST /v1/payment_intents/:id/cancel';
const declined = 'pm_card_chargeDeclined';
const points: Point[] = [
  {
    name: 'before the customer is made',
    fault: { match: 'POST /v1/customers', kind: 'hang', executes: false },
    status: 'succeeded',
  },
  {
    name: 'after the customer was made',
    fault: { match: 'POST /v1/customers', kind: 'hang' },
    status: 'succeeded',
  },
  {
    name: 'before the intent is made',
    fault: { match: CREATE, kind: 'hang', executes: false },
    status: 'succeeded',
  },
  {
    name: 'after the intent was made, before it was recorded',
    fault: { match: CREATE, kind: 'hang' },
    status: 'succeeded',
  },
  {
    name: 'before the card is charged',
    fault: { match: CONFIRM, kind: 'hang', executes: false },
    status: 'succeeded',
  },
  {
    name: 'after the card was charged, before the credit',
    fault: { match: CONFIRM, kind: 'hang' },
    status: 'succeeded',
  },
  {
    name: 'after the card was refused',
    fault: { match: CONFIRM, kind: 'hang' },
    token: declined,
    status: 'failed',
  },
  {
    name: 'before a refused intent is fenced',
    fault: { match: CANCEL, kind: 'hang', executes: false },
    token: declined,
    status: 'failed',
  },
  {
    name: 'after a refused intent was fenced',
    fault: { match: CANCEL, kind: 'hang' },
    token: declined,
    status: 'failed',
  },
];

const openTopUps = async () =>
  (await db.many(sql`select id from top_up where status in ('created', 'processing')`)).length;

/** Adds funds as a user of its own; `send` may be called again. */
async function payer(url: string, amount: number, token?: string) {
  const user = await fixtures.user();
  const body = JSON.stringify({ amount, payment_method_id: await fixtures.card(user, token) });
  const headers = {
    authorization: `Bearer ${user.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'mine',
  };
  const send = (at: string) =>
    fetch(`${at}/api/billing/add-funds`, { method: 'POST', headers, body });
  return { user, amount, send, cut: send(url).catch(() => 'cut off') };
}

/** Begins a top-up, which waits at its point until the server is killed. */
async function interrupted(url: string, { fault, token }: Point, index: number) {
  const before = fake.requests.length;
  fake.fault({ ...fault, times: 1 });
  const begun = await payer(url, 10 + index, token);
  await until('the moment of death', () =>
    fake.requests.slice(before).some(({ fault: struck }) => struck === 'hang'),
  );
  // The server that is still alive leaves it to the one after it.
  await db.many(sql`
    update top_up set next_check_at = now() + interval '1 hour' where user_id = ${begun.user.id}`);
  return begun;
}

async function killAndRestart() {
  server?.process.kill('SIGKILL');
  if (server !== undefined) await once(server.process, 'exit');
  await db.many(
    sql`update top_up set next_check_at = now() where status in ('created', 'processing')`,
  );
  server = await startServer();
  await until('no top-up is open', async () => (await openTopUps()) === 0);
  return server.url;
}

async function assertAllAgrees() {
  const { sum } = await db.one<{ sum: bigint }>(sql`
    select coalesce(sum(balance), 0)::bigint as sum from billing_account where kind <> 'system'`);
  assert.equal(fake.net(), sum, 'Σ(processor) = Σ(ledger)');
  assert.deepEqual((await auditLedger(db)).violations, []);
}

// One server dies with a top-up at each of its points, and one more that is through.
server = await startServer();
const { url } = server;
const interruptedAt = new Map<string, Awaited<ReturnType<typeof payer>>>();
for (const [index, point] of points.entries())
  interruptedAt.set(point.name, await interrupted(url, point, index));
const credited = await payer(url, 50);
await until('the credit', async () => (await fixtures.balance({ userId: credited.user.id })) > 0n);
const next = await killAndRestart();

for (const { name, status } of points) {
  test(`killed ${name}: the restarted server ends it as if nothing had happened`, async () => {
    const { user, amount, send, cut } = interruptedAt.get(name) as NonNullable<
      ReturnType<typeof interruptedAt.get>
    >;
    assert.equal(await cut, 'cut off');
    const [topUp] = await db.many<{ id: string; status: string }>(
      sql`select id, status from top_up where user_id = ${user.id}`,
    );
    assert.equal(topUp?.status, status);
    const expected = status === 'succeeded' ? BigInt(amount) * 1_000_000n : 0n;
    assert.equal(fake.captured(topUp?.id as string), expected);
    assert.equal(await fixtures.balance({ userId: user.id }), expected);
    await assertAllAgrees();

    // The client that was cut off repeats its request with the key: it gets the outcome, and
    // nothing is charged again.
    await db.many(
      sql`
        update idempotency_key set claimed_at = now() - interval '2 minutes'
          where user_id = ${user.id}`,
    );
    const retry = await send(next);
    assert.equal(retry.status, status === 'succeeded' ? 200 : 402);
    assert.equal(((await retry.json()) as { top_up_id: string }).top_up_id, topUp?.id);
    assert.equal(fake.captured(topUp?.id as string), expected);
  });
}

test('killed right after the credit, before the answer: it is neither lost nor doubled', async () => {
  await credited.cut;
  assert.equal(await fixtures.balance({ userId: credited.user.id }), 50_000_000n);
  await assertAllAgrees();
});
