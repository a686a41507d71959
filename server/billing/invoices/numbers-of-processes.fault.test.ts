import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import { fixturesOn } from '../../testing/fixtures/tenants.ts';
import { endNow, type Served, serve } from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';
import { auditLedger } from '../audit/ledger-audit.ts';

/** Numbers of invoices that several servers give at once, while servers are killed. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const fake = await startFakeStripe();
const servers: Served[] = [];
after(async () => {
  for (const { child } of servers) child.kill('SIGKILL');
  await fake.close();
  await db.close();
  await clone.drop();
});

const start = () =>
  serve({
    DATABASE_URL: clone.url,
    TOP_UP_CHECKS: '1s,2s,3s,4s,5s,6s,7s,8s,9s,1m',
    STRIPE_SECRET_KEY: fake.secretKey,
    STRIPE_API_BASE: fake.url,
  });

/** Adds funds one time after another at one server; what it does not answer is not repeated. */
async function payAt({ url }: Served, times: number): Promise<void> {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  for (let i = 1; i <= times; i++)
    await fetch(`${url}/api/billing/add-funds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: i, payment_method_id: card }),
    }).then(
      (answer) => answer.text(),
      () => 'cut off',
    );
}

const invoices = () =>
  db.many<{ sequence: bigint }>(sql`
  select sequence from invoice order by issued_at, sequence`);

test('two of three servers are killed while all issue invoices: no number is missing or given twice', async () => {
  servers.push(...(await Promise.all([start(), start(), start()])));
  const [first, second, third] = servers as [Served, Served, Served];
  const paying = servers.flatMap((server) => [
    payAt(server, 12),
    payAt(server, 12),
    payAt(server, 12),
  ]);
  for (const [server, already] of [
    [first, 12],
    [second, 30],
  ] as const) {
    await until(`${already} invoices`, async () => (await invoices()).length >= already, 60_000);
    await endNow(server);
  }
  await Promise.all(paying);
  assert.equal(third.child.exitCode, null);
  await db.many(sql`
    update top_up set next_check_at = now() where status in ('created', 'processing')`);
  await until(
    'no charge is open',
    async () => {
      const open = await db.many(sql`
      select id::text from top_up where status in ('created', 'processing')
      union all select transfer_key from invoice_due`);
      return open.length === 0;
    },
    60_000,
  );
  const captured = fake.movements.filter(({ kind }) => kind === 'capture').length;
  assert.ok(captured >= 36, `${captured}`);
  assert.deepEqual(
    (await invoices()).map(({ sequence }) => sequence),
    Array.from({ length: captured }, (_, i) => BigInt(i + 1)),
  );
  assert.deepEqual((await auditLedger(db)).violations, []);
});
