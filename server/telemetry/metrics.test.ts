import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { saveAudit } from '../billing/audit/last-audit.ts';
import { auditLedger } from '../billing/audit/ledger-audit.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { measureMoney } from '../billing/metrics.ts';
import { topUps } from '../billing/top-ups/top-ups.ts';
import { sql } from '../db/sql.ts';
import { startProxy } from '../testing/database/proxy.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { seriesOf } from '../testing/harness/metrics.ts';
import { measureProcess, openMetrics, serveMetrics } from './metrics.ts';

let proxy: Awaited<ReturnType<typeof startProxy>>;
const { request, fixtures, db, metrics } = await startHarness({
  through: async (url) => {
    proxy = await startProxy(url);
    return proxy.url;
  },
});
after(() => proxy.close());
const money = measureMoney(metrics, db, [15_000, 86_400_000]);

const series = (name: string, registry = metrics) => seriesOf(registry, name);

test('a request counts under its route and status; no id, path or key becomes a label', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const path = `/api/organizations/${workspace}/invitations`;
  await request('GET', path, { key: owner.key });
  await request('GET', path, { key: owner.key });
  await request('GET', path);
  await request('GET', '/nowhere/else');
  const count = await series('guildhall_http_request_duration_seconds_count');
  const route = '/api/organizations/:org_id/invitations';
  assert.equal(count[`{method="GET",route="${route}",status="200"}`], 2);
  assert.equal(count[`{method="GET",route="${route}",status="401"}`], 1);
  assert.equal(count['{method="GET",route="none",status="404"}'], 1);
  const text = await metrics.metrics();
  for (const secret of [owner.key, owner.id, workspace, 'nowhere'])
    assert.ok(!text.includes(secret), secret);
});

test('open top-ups, the oldest of them, late ones, open events and the outbox are of this moment', async () => {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const before = await series('guildhall_top_ups_open');
  assert.deepEqual(before, { '{status="created"}': 0, '{status="processing"}': 0 });
  assert.deepEqual(await series('guildhall_top_up_oldest_open_seconds'), { '': 0 });
  const { id } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  const key = await db.one<{ id: string }>(sql`select id from api_key where user_id = ${user.id}`);
  const path = topUps(db, sandbox(db));
  const { topUp } = await db.transaction((tx) =>
    path.start(tx, {
      accountId: id,
      userId: user.id,
      keyId: key.id,
      requestId: 'left open',
      paymentMethodId: card,
      amount: 5_000_000n,
      clientKey: undefined,
    }),
  );
  await db.many(
    sql`
      update top_up set checks = 2, next_check_at = created_at + interval '25 hours'
        where id = ${topUp.id}`,
  );
  await db.many(sql`insert into outbox (topic, key, payload) values ('letters', 'one', '{}')`);
  await db.many(
    sql`insert into processor_event (id, type, created_at) values ('evt_open', 'x', now())`,
  );
  assert.equal((await series('guildhall_top_ups_open'))['{status="created"}'], 1);
  assert.equal((await series('guildhall_top_ups_late'))[''], 1);
  assert.ok(((await series('guildhall_top_up_oldest_open_seconds'))[''] as number) > 0);
  assert.equal((await series('guildhall_processor_events_open'))[''], 1);
  assert.equal((await series('guildhall_outbox_open'))['{topic="letters"}'], 1);
  assert.ok(((await series('guildhall_outbox_oldest_seconds'))['{topic="letters"}'] as number) > 0);
});

test('what the reconciler found and what failed is counted as the worker reports it', async () => {
  const done = {
    checked: 4,
    settled: 2,
    failed: 1,
    open: 1,
    late: 0,
    others: 0,
    events: 0,
    refunds: 0,
    reloads: 0,
    setups: 0,
    detached: 0,
  };
  money.onRound(done);
  money.onRound(done);
  money.onSettled({ settlements: 3, events: 7, busy: 2, failed: [{ accountId: '', error: '' }] });
  money.onFailure('events');
  const results = await series('guildhall_reconciler_top_ups_total');
  assert.deepEqual(results, {
    '{result="settled"}': 4,
    '{result="failed"}': 2,
    '{result="open"}': 2,
  });
  assert.deepEqual(await series('guildhall_usage_settlements_total'), {
    '{result="settled"}': 3,
    '{result="failed"}': 1,
    '{result="busy"}': 2,
  });
  assert.deepEqual(await series('guildhall_worker_failures_total'), { '{work="events"}': 1 });
});

test('what the last audit found is reported by every process, and by none before the first audit', async () => {
  const [VIOLATIONS, AT] = [
    'guildhall_ledger_violations',
    'guildhall_ledger_audit_timestamp_seconds',
  ];
  for (const name of [VIOLATIONS, AT, 'guildhall_top_ups'])
    assert.deepEqual(await series(name), {});
  const audit = await auditLedger(db);
  await saveAudit(db, { ...audit, violations: [{ rule: 'sum_is_zero', detail: 'made up' }] });
  const started = openMetrics(db);
  measureMoney(started, db, [15_000]);
  for (const registry of [metrics, started]) {
    assert.deepEqual(await series(VIOLATIONS, registry), { '': 1 });
    assert.equal((await series('guildhall_top_ups', registry))['{status="created"}'], 1);
    const at = (await series(AT, registry))[''] as number;
    assert.ok(Math.abs(at * 1000 - Date.now()) < 60_000);
  }
  await saveAudit(db, { ...audit, auditedAt: new Date(0) });
  assert.deepEqual(await series(VIOLATIONS), { '': 1 }, 'an older audit that ends later');
  await saveAudit(db, await auditLedger(db));
  assert.deepEqual(await series(VIOLATIONS, started), { '': 0 });
});

test('while the database is away a scrape says so and leaves its figures out; then they are back', async () => {
  assert.deepEqual(await series('guildhall_database_up'), { '': 1 });
  proxy.cut();
  assert.deepEqual(await series('guildhall_database_up'), { '': 0 });
  assert.deepEqual(await series('guildhall_top_ups_open'), {});
  assert.deepEqual(await series('guildhall_top_ups_late'), {});
  proxy.mend();
  assert.deepEqual(await series('guildhall_database_up'), { '': 1 });
  assert.deepEqual(Object.keys(await series('guildhall_top_ups_late')), ['']);
});

test('GET /metrics is served on a port of its own, and nothing else is', async () => {
  const registry = openMetrics(db);
  measureProcess(registry);
  const served = await serveMetrics(registry, { host: '127.0.0.1', port: 0 });
  const answer = await fetch(served.url);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(await answer.text(), /^nodejs_eventloop_lag_p99_seconds /m);
  assert.equal((await fetch(new URL('/', served.url))).status, 404);
  assert.equal((await fetch(served.url, { method: 'POST' })).status, 404);
  await served.close();
  await assert.rejects(fetch(served.url));
});
