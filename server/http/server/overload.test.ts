import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

const { request, fixtures, url, databaseUrl, db, unchanged } = await startHarness({
  // Nothing that waits is given up before the test frees the lock.
  env: {
    MAX_CONCURRENT_REQUESTS: '2',
    DATABASE_LOCK_TIMEOUT_MS: '60000',
    DATABASE_STATEMENT_TIMEOUT_MS: '60000',
  },
});

test('503 overloaded: what comes on top is refused at once, before the database; then all goes on', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace);
  const update = (name: string) =>
    request('PUT', `/api/organizations/${workspace}/teams/${team}`, {
      key: owner.key,
      body: { name },
    });
  const holder = new pg.Client(databaseUrl);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from team where id = $1 for update', [team]);
  const waiting = [update('One'), update('Two')];
  await until('both wait', async () => {
    const { count } = await db.one<{ count: bigint }>(sql`
      select count(*) from pg_locks join pg_stat_activity using (pid)
       where datname = current_database() and not granted`);
    return count === 2n;
  });
  assert.equal((await request('GET', '/readyz')).status, 200, 'busy, as far as one can tell yet');

  await unchanged(async () => {
    const refused = await update('Three');
    assert.equal(refused.status, 503);
    assert.equal(refused.body.code, 'overloaded');
    assert.equal(refused.headers.get('retry-after'), '1');
  });
  assert.equal((await request('GET', '/healthz')).status, 200);
  await pause(2_000);
  assert.equal((await request('GET', '/healthz')).status, 200);
  const stuck = await request('GET', '/readyz');
  assert.deepEqual([stuck.status, stuck.body.code], [503, 'overloaded']);

  await holder.query('rollback');
  await holder.end();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await update('Three')).status, 200);
  assert.equal((await request('GET', '/readyz')).status, 200);
});

test('a caller who hangs up leaves the place to the next', async () => {
  const owner = await fixtures.user();
  for (let i = 0; i < 5; i++) {
    const hangUp = AbortSignal.timeout(1);
    await fetch(`${url}/api/billing/balance`, {
      headers: { authorization: `Bearer ${owner.key}` },
      signal: hangUp,
    }).catch(() => {});
  }
  await until('a place is free', async () => {
    const { status } = await request('GET', '/api/billing/balance', { key: owner.key });
    return status === 200;
  });
});
