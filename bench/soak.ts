import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { auditLedger } from '../api/billing/audit/ledger-audit.ts';
import { usdText } from '../api/billing/ledger/money.ts';
import { type Database, openDatabase } from '../api/db/database/database.ts';
import { sql } from '../api/db/sql.ts';
import { numberOf, orUsage } from '../api/testing/arguments.ts';
import { cloneDatabase } from '../api/testing/database.ts';
import type { FaultKind } from '../api/testing/doubles/fake-stripe/faults.ts';
import { type FakeStripe, startFakeStripe } from '../api/testing/doubles/fake-stripe/server.ts';
import { fixturesOn, type User } from '../api/testing/fixtures.ts';

// Servers are killed and the processor fails while clients add funds; in the end, not a cent may be
// lost or counted twice.

const HELP = `Usage: npm run soak -- [options]

Starts servers on a separate database and a stand-in for Stripe, kills the servers
  and breaks the stand-in while clients
add funds, and fails if one cent is lost or counted twice.

Options:
  --minutes <number>   duration (default 1)
  --servers <number>   number of servers (default 3)
  --clients <number>   number of clients (default 8)
  --turns              instead: kill workers and PostgreSQL while agents work (--servers is the
                       number of workers)
  --json               print the figures as one JSON document
  --help               this text
`;

const options = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      servers: { type: 'string', default: '3' },
      clients: { type: 'string', default: '8' },
      turns: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    turns: values.turns,
    minutes: numberOf('--minutes', values.minutes, { from: 0.1, to: 10_080, whole: false }),
    servers: numberOf('--servers', values.servers, { from: 1, to: 50 }),
    clients: numberOf('--clients', values.clients, { from: 1, to: 1000 }),
    json: values.json,
  };
});

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
const CARDS = ['pm_card_visa', 'pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined'];
const counts = { requests: 0, retries: 0, kills: 0, faults: 0, disputes: 0 };

interface Served {
  url: string;
  child: ChildProcess;
}

async function startServer(databaseUrl: string, fake: FakeStripe): Promise<Served> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../cli/guildhall.ts'), 'serve', '--json', '--no-work'],
    {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        DATABASE_URL: databaseUrl,
        SERVER_SECRET: 'a secret for the soak that is long enough',
        LOG_LEVEL: 'fatal',
        RATE_LIMIT_PER_MINUTE: '1000000',
        RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000',
        TOP_UP_CHECKS: '1s,2s,4s,8s,16s,32s,64s',
        STRIPE_SECRET_KEY: fake.secretKey,
        STRIPE_WEBHOOK_SECRET: fake.webhookSecret,
        STRIPE_API_BASE: fake.url,
        STRIPE_TIMEOUT_MS: '1000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  for await (const line of createInterface({ input: child.stdout })) {
    text += line;
    if (line === '}') break;
  }
  const { url } = JSON.parse(text);
  fake.webhook(`${url}/webhooks/stripe`);
  return { url, child };
}

async function client(
  servers: Served[],
  user: User,
  cards: string[],
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    const body = JSON.stringify({
      amount: randomInt(100, 5000) / 100,
      payment_method_id: cards[randomInt(cards.length)],
    });
    const key = randomUUID();
    for (let attempt = 0; attempt < 6 && !done.aborted; attempt++) {
      counts.requests++;
      if (attempt > 0) counts.retries++;
      const { url } = servers[randomInt(servers.length)] as Served;
      const headers = {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const answer = await fetch(`${url}/api/billing/add-funds`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(8000),
      }).catch(() => undefined);
      if (answer !== undefined) {
        await answer.text();
        if ([200, 402, 422].includes(answer.status)) break;
        if (answer.status >= 500 && answer.status !== 503)
          throw new Error(`an answer of ${answer.status}`);
      }
      await pause(randomInt(20, 400));
    }
  }
}

async function trouble(
  servers: Served[],
  databaseUrl: string,
  fake: FakeStripe,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    await pause(randomInt(100, 700));
    const dice = randomInt(100);
    if (dice < 55) {
      counts.faults++;
      fake.fault({
        match: MATCHES[randomInt(MATCHES.length)] as string,
        kind: FAULTS[randomInt(FAULTS.length)] as FaultKind,
        times: randomInt(1, 4),
        ms: 800,
      });
    } else if (dice < 80) {
      const at = randomInt(servers.length);
      counts.kills++;
      (servers[at] as Served).child.kill('SIGKILL');
      await once((servers[at] as Served).child, 'exit');
      servers[at] = await startServer(databaseUrl, fake);
    } else {
      const captured = fake.movements.filter(({ kind }) => kind === 'capture');
      const one = captured[randomInt(Math.max(1, captured.length))];
      if (
        one === undefined ||
        fake.movements.some(({ kind, intentId }) => intentId === one.intentId && kind !== 'capture')
      )
        continue;
      const dispute = fake.dispute(one.intentId);
      counts.disputes++;
      if (randomInt(2) === 0) fake.closeDispute(dispute.id, 'won');
    }
  }
}

/**
 * Compares every top-up with the processor's record of it, and every client key with its captures;
 * micro-USD.
 */
async function compare(
  db: Database,
  fake: FakeStripe,
): Promise<{ lost: bigint; doubled: bigint; open: number; topUps: number }> {
  const rows = await db.many<{ id: string; status: string; posted: bigint }>(sql`
    select t.id, t.status, coalesce(sum(l.balance - l.previous_balance), 0)::bigint as posted
      from top_up t left join ledger_transfer l on l.reference_id = t.id group by t.id`);
  let [lost, doubled] = [0n, 0n];
  for (const { id, posted } of rows) {
    const difference = fake.net(id) - posted;
    if (difference > 0n) lost += difference;
    else doubled -= difference;
    if (fake.movements.filter((one) => one.topUpId === id && one.kind === 'capture').length > 1)
      doubled += fake.captured(id) / 2n;
  }
  const known = new Set(rows.map(({ id }) => id));
  for (const one of fake.movements)
    if (one.topUpId === undefined || !known.has(one.topUpId)) lost += one.amount;
  const open = rows.filter(({ status }) => status === 'created' || status === 'processing').length;
  return { lost, doubled, open, topUps: rows.length };
}

if (options.turns) {
  const { soakTurns } = await import('./soak-turns.ts');
  const { figures, passed } = await soakTurns({ ...options, workers: options.servers });
  tell(figures, passed, 'No event and no cent was lost or doubled, and no process was left.');
  process.exit(passed ? 0 : 1);
}

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const fake = await startFakeStripe();
fake.automatic({});
const servers = await Promise.all(
  Array.from({ length: options.servers }, () => startServer(clone.url, fake)),
);
const done = new AbortController();
const running: Promise<void>[] = [trouble(servers, clone.url, fake, done.signal)];
for (let i = 0; i < options.clients; i++) {
  const user = await fixtures.user();
  const cards = await Promise.all(CARDS.map((token) => fixtures.card(user, token)));
  running.push(client(servers, user, cards, done.signal));
}

const started = Date.now();
while (Date.now() - started < options.minutes * 60_000) {
  await Promise.race([pause(5_000), ...running]);
  const seconds = Math.round((Date.now() - started) / 1000);
  const said = `${seconds} s: ${counts.requests} requests, ${fake.movements.length} movements, ${counts.kills} kills, ${counts.faults} faults`;
  process.stderr.write(`${said}\n`);
}
done.abort();
await Promise.all(running);

// The faults are over: every process restarts and is left alone until nothing is open.
fake.clearFaults();
await Promise.all(
  servers.map(async (server, at) => {
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    servers[at] = await startServer(clone.url, fake);
  }),
);
const quiet = () =>
  db.one<{ left: bigint }>(sql`
    select (select count(*) from top_up where status in ('created', 'processing'))
         + (select count(*) from processor_event where processed_at is null) as left`);
for (let i = 0; i < 300 && (await quiet()).left > 0n; i++) await pause(1_000);
await pause(2_000);

const found = await compare(db, fake);
const { violations } = await auditLedger(db);
const kinds = (kind: string) => fake.movements.filter((one) => one.kind === kind).length;
const figures = {
  minutes: options.minutes,
  top_ups: found.topUps,
  captures: kinds('capture'),
  disputes: counts.disputes,
  requests: counts.requests,
  retries: counts.retries,
  kills: counts.kills,
  faults: counts.faults,
  open: found.open,
  ledger_violations: violations.length,
  usd_at_processor: usdText(fake.net()),
  usd_lost: usdText(found.lost),
  usd_doubled: usdText(found.doubled),
};
const passed =
  found.lost === 0n && found.doubled === 0n && found.open === 0 && violations.length === 0;
tell(figures, passed, 'No cent was lost or counted twice.');

for (const { child } of servers) child.kill('SIGKILL');
await fake.close();
await db.close();
await clone.drop();
process.exit(passed ? 0 : 1);

function tell(figures: Record<string, unknown>, passed: boolean, sentence: string): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    return;
  }
  for (const [name, value] of Object.entries(figures))
    process.stdout.write(`${name.padEnd(26)} ${value}\n`);
  process.stdout.write(passed ? `${sentence}\n` : 'FAILED\n');
}
