import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';
import { sql } from './sql.ts';

const { db, fixtures, request } = await startHarness();

/** The milliseconds that an id begins with. */
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

test('an id of version 7 begins with the time, no two are equal, and later ones sort after earlier ones', async () => {
  const before = Date.now();
  const rows = await db.many<{ id: string; at: Date }>(
    sql`select uuid_v7() as id from generate_series(1, 20000)`,
  );
  const after = Date.now();
  const ids = rows.map(({ id }) => id);
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // The clocks of two processes differ by no more than they round.
    assert.ok(timeOf(id) >= before - 2 && timeOf(id) <= after + 2, `${id} at ${before}`);
  }
  assert.equal(new Set(ids).size, ids.length);
  // Within a millisecond their order is chance on PostgreSQL before 18.
  const times = ids.map(timeOf);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('what is recorded from now on has such an id: the ledger, the audit trail, the outbox and usage', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  await request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key });
  await db.many(sql`
    insert into usage_event (account_id, idempotency_key, amount, reference_type, reference_id,
      occurred_at)
    select id, 'used', 1, 'task', ${task}, now() from billing_account
      where organization_id = ${workspace}`);
  const found = await db.many<{ name: string; versions: string[] }>(sql`
    select name, array_agg(distinct substr(id::text, 15, 1)) as versions
      from (select 'ledger_transfer' as name, id from ledger_transfer
            union all select 'audit_event', id from audit_event
            union all select 'outbox', id from outbox
            union all select 'usage_event', id from usage_event) rows
     group by name order by name`);
  assert.deepEqual(found, [
    { name: 'audit_event', versions: ['7'] },
    { name: 'ledger_transfer', versions: ['7'] },
    { name: 'outbox', versions: ['7'] },
    { name: 'usage_event', versions: ['7'] },
  ]);
});
