import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLedger } from '../server/billing/audit/ledger-audit.ts';
import { usdText } from '../server/billing/ledger/money.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import type { FakeStripe } from '../server/testing/fakes/fake-stripe/fake.ts';
import type { FaultKind } from '../server/testing/fakes/fake-stripe/faults.ts';
import { createRefund } from '../server/testing/fakes/fake-stripe/refunds.ts';
import { startFakeStripe } from '../server/testing/fakes/fake-stripe/server.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { endNow, type Served, serve } from '../server/testing/harness/serve.ts';
import { compare, compareInvoices } from './soak-money-check.ts';
import { confirmAll, newPayer, counts as paid, pay } from './soak-money-clients.ts';

// Servers are killed, the processor fails, refunds and disputes arrive while people add funds. In
// the end no cent may be lost or counted twice, and no invoice be missing, wrong or out of order.

const FAULTS: FaultKind[] = [
  'dropBefore',
  'dropAfter',
  'hang',
  'truncate',
  '500saved',
  '502html',
  'slow',
  'rateLimit',
  'lockTimeout',
];
const MATCHES = [
  'POST /v1/payment_intents',
  'POST /v1/payment_intents/:id/confirm',
  'POST /v1/payment_intents/:id/cancel',
  'GET /v1/payment_intents/:id',
];
const counts = { kills: 0, faults: 0, disputes: 0, refunds: 0, failed_refunds: 0 };

interface SoakOptions {
  minutes: number;
  servers: number;
  clients: number;
}

/** Returns the figures; `passed` is whether all that must be zero is. */
export async function soakMoney({ minutes, servers: count, clients }: SoakOptions) {
  const clone = await cloneDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-soak-'));
  const db = openDatabase({ url: clone.url });
  const fake = await startFakeStripe();
  fake.automatic({});
  const start = async () => {
    const server = await serve({
      LOG_LEVEL: 'silent',
      DATABASE_URL: clone.url,
      DATA_DIR: folder,
      TOP_UP_CHECKS: '1s,2s,4s,8s,16s,32s,64s',
      STRIPE_SECRET_KEY: fake.secretKey,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
      STRIPE_WEBHOOK_SECRET: fake.webhookSecret,
      STRIPE_API_BASE: fake.url,
      STRIPE_TIMEOUT_MS: '1000',
      INVOICE_ISSUER_NAME: 'Soak GmbH',
      INVOICE_ISSUER_COUNTRY: 'DE',
      INVOICE_TAX_RATES: 'DE=19,FR=20',
    });
    fake.webhook(`${server.url}/webhooks/stripe`);
    return server;
  };
  const servers = await Promise.all(Array.from({ length: count }, start));
  const done = new AbortController();
  const running = [kills(servers, start, done.signal), trouble(fake, done.signal)];
  const fixtures = fixturesOn(db);
  for (let i = 0; i < clients; i++) {
    const payer = await newPayer(fixtures, (servers[0] as Served).url, i);
    running.push(pay(servers, payer, fake, done.signal));
  }
  const started = Date.now();
  while (Date.now() - started < minutes * 60_000) {
    await Promise.race([pause(5_000), ...running]);
    const said = { ...paid, movements: fake.movements.length, ...counts };
    process.stderr.write(
      `${Math.round((Date.now() - started) / 1000)} s ${JSON.stringify(said)}\n`,
    );
  }
  done.abort();
  await Promise.all(running);

  // The faults are over: every process restarts and is left alone until nothing is open.
  fake.clearFaults();
  for (const [at, server] of servers.entries()) {
    await endNow(server);
    servers[at] = await start();
  }
  for (let i = 0; i < 300; i++) {
    confirmAll(fake);
    const { left } = await db.one<{ left: bigint }>(sql`
      select (select count(*) from top_up where status in ('created', 'processing'))
           + (select count(*) from processor_event where processed_at is null)
           + (select count(*) from invoice_due) as left`);
    if (left === 0n) break;
    await pause(1_000);
  }
  await pause(2_000);

  const { lost, doubled, open, topUps } = await compare(db, fake);
  const { invoices, notes, receipts, ...wrong } = await compareInvoices(db, fake);
  const found = { ...wrong, ledger_violations: (await auditLedger(db)).violations.length, open };
  const figures = {
    minutes,
    top_ups: topUps,
    ...paid,
    ...counts,
    invoices,
    notes,
    receipts,
    ...found,
    captures: fake.movements.filter(({ kind }) => kind === 'capture').length,
    usd_at_processor: usdText(fake.net()),
    usd_lost: usdText(lost),
    usd_doubled: usdText(doubled),
  };
  await Promise.all(servers.map(endNow));
  await fake.close();
  await db.close();
  await clone.drop();
  await rm(folder, { recursive: true, force: true });
  const passed = lost === 0n && doubled === 0n && Object.values(found).every((one) => one === 0);
  return { figures, passed };
}

/** Kills one server after another, and sometimes all at once. */
async function kills(
  servers: Served[],
  start: () => Promise<Served>,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    await pause(randomInt(500, 4_000));
    const first = randomInt(servers.length);
    const killed = randomInt(5) === 0 ? servers.keys().toArray() : [first];
    counts.kills += killed.length;
    await Promise.all(killed.map((at) => endNow(servers[at] as Served)));
    for (const at of killed) servers[at] = await start();
  }
}

async function trouble(fake: FakeStripe, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await pause(randomInt(100, 700));
    const dice = randomInt(100);
    if (dice < 60) {
      counts.faults++;
      fake.fault({
        match: MATCHES[randomInt(MATCHES.length)] as string,
        kind: FAULTS[randomInt(FAULTS.length)] as FaultKind,
        times: randomInt(1, 4),
        ms: 800,
      });
    } else if (dice < 75) dispute(fake);
    else refund(fake);
  }
}

/** A charge that was never disputed nor fully refunded. */
function chargeOf(fake: FakeStripe) {
  const charges = [...fake.state.charges.values()].filter(
    (one) => one.paid && !one.disputed && !one.refunded,
  );
  return charges[randomInt(Math.max(1, charges.length))];
}

function dispute(fake: FakeStripe): void {
  const charge = chargeOf(fake);
  if (charge === undefined || charge.amount_refunded > 0) return;
  const { id } = fake.dispute(charge.payment_intent);
  counts.disputes++;
  if (randomInt(2) === 0) fake.closeDispute(id, 'won');
}

/** Of a part or of all that is left; the bank sends one of five back. */
function refund(fake: FakeStripe): void {
  const charge = chargeOf(fake);
  if (charge === undefined) return;
  const left = charge.amount - charge.amount_refunded;
  const amount = randomInt(2) === 0 ? left : randomInt(1, left + 1);
  const { id } = createRefund(fake.state, {
    payment_intent: charge.payment_intent,
    amount: String(amount),
  });
  counts.refunds++;
  if (randomInt(5) > 0) return;
  fake.failRefund(id);
  counts.failed_refunds++;
}
