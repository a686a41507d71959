import assert from 'node:assert/strict';
import { access, rename as moveFile, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailable, openDatabase } from '../../db/database/database.ts';
import { migrate } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { startCluster } from '../database/cluster.ts';
import { startHarness } from '../harness/harness.ts';
import { verifyMoney } from '../harness/verify-load.ts';

// PostgreSQL answers with an error: it is read-only, its disk is full, two transactions deadlock.

const cluster = await startCluster();
await migrate(cluster.url);
const harness = await startHarness({ databaseUrl: cluster.url });
const { fixtures, request, db, owner: asOwner, unchanged } = harness;
after(() => cluster.stop());

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  const card = await fixtures.card(owner);
  const key = owner.key;
  const team = await fixtures.team(workspace);
  return {
    owner,
    workspace,
    read: () => request('GET', `/api/projects/${project}/people`, { key }),
    approve: () => request('POST', `/api/tasks/${task}/plan/approve`, { key }),
    rename: () =>
      request('PUT', `/api/organizations/${workspace}/teams/${team}`, {
        key,
        body: { name: 'Renamed' },
      }),
    addFunds: (amount: number) =>
      request('POST', '/api/billing/add-funds', { key, body: { amount, payment_method_id: card } }),
  };
}

const assertUnavailable = ({ status, body, headers }: Awaited<ReturnType<typeof request>>) => {
  assert.deepEqual(
    [status, body.code, headers.get('retry-after')],
    [503, 'database_unavailable', '5'],
  );
};

test('a read-only PostgreSQL: reads are answered, writes are a 503 and change nothing, and all works when it is over', async () => {
  const { read, approve, rename, addFunds } = await tenant();
  await cluster.set('default_transaction_read_only', 'on');
  for (let i = 0; (await rename()).status !== 503; i++) {
    assert.ok(i < 100, 'never read-only');
    await pause(20);
  }
  await unchanged(async () => {
    for (const write of [approve, rename, () => addFunds(10)]) assertUnavailable(await write());
    assert.equal((await read()).status, 200);
    assert.equal((await request('GET', '/readyz')).status, 200);
  });
  await cluster.set('default_transaction_read_only', undefined);
  for (let i = 0; (await rename()).status !== 200; i++) {
    assert.ok(i < 100, 'still read-only');
    await pause(20);
  }
  for (const write of [approve, rename, () => addFunds(10)])
    assert.equal((await write()).status, 200);
});

test('a full disk: a write that needs room is a 503 and leaves nothing half, and a charge in its way is ended later', async (t) => {
  // The table's file becomes /dev/full, where the kernel answers every write as a full disk does.
  if (
    !(await access('/dev/full').then(
      () => true,
      () => false,
    ))
  )
    return t.skip('this system has no /dev/full to stand for a full disk');
  const { owner, read, approve, rename, addFunds } = await tenant();
  await asOwner(sql`truncate outbox`);
  const [row] = await asOwner<{ path: string }>(sql`select pg_relation_filepath('outbox') as path`);
  const file = join(cluster.directory, row?.path as string);
  await moveFile(file, `${file}.aside`);
  await symlink('/dev/full', file);
  // Who has the file open writes to where it went, so connections are made anew.
  await cluster.ask(
    'select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = ' +
      "'guildhall'",
  );

  await unchanged(async () => {
    assertUnavailable(await approve());
    assertUnavailable(await approve());
    assert.equal((await read()).status, 200);
  });
  assert.equal((await rename()).status, 200, 'what finds room goes on');
  assertUnavailable(await addFunds(10));
  assert.equal(await fixtures.balance({ userId: owner.id }), 0n);
  const [charged] = await db.many(sql`select status from top_up where user_id = ${owner.id}`);
  assert.deepEqual(charged, { status: 'processing' });

  await asOwner(sql`truncate outbox`); // a new file, with room
  assert.equal((await approve()).body.newly_approved, true);
  await verifyMoney(harness);
  assert.equal(await fixtures.balance({ userId: owner.id }), 10_000_000n);
  assert.equal((await addFunds(20)).body.new_balance, 30);
});

test('a deadlock ends a request’s transaction: it is done again, and its work is there once', async () => {
  const { owner, workspace } = await tenant();
  const successor = await fixtures.user();
  await fixtures.member(workspace, successor);
  const other = new pg.Client(cluster.url);
  await other.connect();
  await other.query("set deadlock_timeout = '60s'"); // so that the request is the one that notices
  await other.query('begin');
  await other.query(
    'select from membership where organization_id = $1 and user_id = $2 for update',
    [workspace, successor.id],
  );
  const transferring = request('POST', `/api/organizations/${workspace}/transfer-ownership`, {
    key: owner.key,
    body: { new_owner_user_id: successor.id },
    headers: { 'idempotency-key': 'once' },
  });
  for (let i = 0; (await cluster.ask('select from pg_locks where not granted')).length === 0; i++) {
    assert.ok(i < 100, 'the request does not wait');
    await pause(10);
  }
  await other.query("update organization set name = 'Meanwhile' where id = $1", [workspace]);
  await other.query('commit');
  const { status, body } = await transferring;
  assert.deepEqual([status, body.new_owner_user_id], [200, successor.id]);
  await other.end();

  assert.match(await readFile(join(cluster.dataDir, 'postgres.log'), 'utf8'), /deadlock detected/);
  const audited = await db.many(sql`
    select outcome from audit_event
      where target_id = ${workspace} and action = 'workspace.transfer'`);
  assert.deepEqual(audited, [{ outcome: 'done' }]);
  const [organization] = await db.many(
    sql`select name, owner_user_id from organization where id = ${workspace}`,
  );
  assert.deepEqual(organization, { name: 'Meanwhile', owner_user_id: successor.id });
});

test('a synchronous standby that is away: a write is a 503 in bounded time, and is there whole when PostgreSQL lets it go', async () => {
  const hasty = openDatabase({ url: cluster.url, statementTimeout: 300 });
  const write = sql`insert into app_user (email) values ('waited@example.com')`;
  await cluster.set('synchronous_standby_names', 'nobody');
  for (
    let i = 0;
    (await cluster.ask('show synchronous_standby_names'))[0]?.synchronous_standby_names === '';
    i++
  ) {
    assert.ok(i < 100, 'never synchronous');
    await pause(20);
  }
  await pause(200);
  await assert.rejects(hasty.many(write), DatabaseUnavailable);
  const find = sql`select email from app_user where email = 'waited@example.com'`;
  assert.deepEqual(await hasty.read(find), []);
  await cluster.set('synchronous_standby_names', undefined);
  for (let i = 0; (await hasty.read(find)).length === 0; i++) {
    assert.ok(i < 100, 'lost');
    await pause(20);
  }
  await hasty.close();
});
