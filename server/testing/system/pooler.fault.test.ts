import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { connect } from '../../main/open-database.ts';
import { readConfig } from '../../platform/config/config.ts';
import { startCluster } from '../database/cluster.ts';
import { type PgBouncer, pgBouncerMissing, startPgBouncer } from '../database/pgbouncer.ts';
import { startHarness } from '../harness/harness.ts';
import { startLoad } from '../harness/load.ts';
import { verifyLoad } from '../harness/verify-load.ts';

/**
 * Behind a real PgBouncer in transaction mode, where every transaction may be on another session.
 */

const skip = await pgBouncerMissing();
if (skip) test('behind PgBouncer in transaction mode', { skip }, () => {});
else await behindPgBouncer();

async function behindPgBouncer() {
  const cluster = await startCluster();
  for (const statement of [
    'create role guildhall_app nologin',
    ...['the_owner', 'the_server'].flatMap((login) => [
      `create role ${login} login password 'x'`,
      `grant guildhall_app to ${login}`,
    ]),
    ...['workshop', 'empty'].map((database) => `create database ${database} owner the_owner`),
  ])
    await cluster.ask(statement);
  const direct = (login: string, database = 'workshop') => {
    const url = new URL(cluster.url);
    [url.username, url.password, url.pathname] = [login, 'x', `/${database}`];
    return url.href;
  };
  const bouncer = await startPgBouncer(cluster.url, { the_owner: 'x', the_server: 'x' });
  after(async () => {
    await bouncer.close();
    await cluster.stop();
  });
  await migrate(direct('the_owner'));
  const env = { SERVER_SECRET: 'a secret for tests that is long enough' };
  const open = async (databaseUrl: string, pooler = 'none') => {
    const connected = await connect(
      readConfig({ ...env, DATABASE_URL: databaseUrl, DATABASE_POOLER: pooler }),
    );
    await connected.close();
  };
  const restart = async (settings?: Record<string, string>) => {
    await bouncer.kill();
    await bouncer.start(settings);
  };

  test('migrations go through it: eight at once apply each file once, and no lock is left behind', async () => {
    const url = bouncer.url(direct('the_owner', 'empty'));
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
    const applied = results.flatMap((result) => result.applied);
    assert.ok(applied.length >= 12);
    assert.equal(new Set(applied).size, applied.length);
    assert.deepEqual(await cluster.ask("select pid from pg_locks where locktype = 'advisory'"), []);
  });

  test('a server whose settings it would refuse or lose does not start, and is told what to set', async () => {
    const url = bouncer.url(direct('the_server'));
    await assert.rejects(
      open(url),
      /a pooler that refuses session settings: set DATABASE_POOLER=transaction/,
    );
    await restart({ ignore_startup_parameters: 'options' });
    await assert.rejects(open(url), /drops its session settings \(role is none, .*DATABASE_POOLER/);
    await restart();
    await open(direct('the_server'));
  });

  test('behind it, a login that may act as the owner of the tables does not serve', async () => {
    await assert.rejects(
      open(bouncer.url(direct('the_owner')), 'transaction'),
      /login the_owner may act as the owner of the tables/,
    );
  });

  test('a login without the settings does not serve; with the statements that it is told, it does', async () => {
    const url = bouncer.url(direct('the_server'));
    const refusal = await open(url, 'transaction').then(
      () => assert.fail('it served'),
      (error: Error) => error,
    );
    assert.match(refusal.message, /the login the_server lacks settings .* \(role is none, /);
    const lines =
      refusal.message.match(/alter role the_server in database workshop set .*;/g) ?? [];
    assert.equal(lines.length, 8);
    for (const line of lines) await cluster.ask(line);
    // Its old connections were made before.
    await restart();
    await open(url, 'transaction');
    const patient = {
      DATABASE_LOCK_TIMEOUT_MS: '6000',
      DATABASE_URL: url,
      DATABASE_POOLER: 'transaction',
    };
    await assert.rejects(connect(readConfig({ ...env, ...patient })), /\(lock_timeout is 5000\)/);
  });

  await servedBehind(bouncer, direct, () => cluster.ask(SESSIONS));
}

const SESSIONS = `
  select count(*)::int as count, array_agg(distinct usename::text) as logins
    from pg_stat_activity where datname = 'workshop' and application_name = 'guildhall'`;

async function servedBehind(
  bouncer: PgBouncer,
  direct: (login: string) => string,
  sessions: () => Promise<Record<string, unknown>[]>,
) {
  const harness = await startHarness({
    databaseUrl: direct('the_owner'),
    through: async () => bouncer.url(direct('the_server')),
    env: { DATABASE_POOLER: 'transaction' },
  });
  const { fixtures, request, db } = harness;

  test('six sessions carry reads, writes, transactions and charges of many connections', async (t) => {
    const load = await startLoad(harness, 4);
    await load.recovery();
    await pause(1_000);
    await load.recovery();
    await load.stop();
    assert.equal(load.counts.refused, 0);
    const [shared] = await sessions();
    assert.deepEqual(shared?.logins, ['the_server']);
    assert.ok((shared?.count as number) <= 6, `${shared?.count} sessions`);
    t.diagnostic(`${await verifyLoad(harness, load)}; on ${shared?.count} sessions`);
  });

  test('race: forty callers approve at once: one approved it, one start is queued', async () => {
    const user = await fixtures.user();
    const workspace = await fixtures.workspace(user);
    const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), user);
    await fixtures.revision(task);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () =>
        request('POST', `/api/tasks/${task}/plan/approve`, { key: user.key }),
      ),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(replies.filter(({ body }) => body.newly_approved).length, 1);
    const starts = await db.many(sql`select id from outbox where key = ${`${task}:1`}`);
    assert.equal(starts.length, 1);
  });

  test('race: deleting a workspace against add-funds of its heir: no cent is lost', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await fixtures.user();
      const workspace = await fixtures.workspace(owner, { balance: '20.00' });
      const body = { amount: 25, payment_method_id: await fixtures.card(owner) };
      const replies = await Promise.all([
        request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
        request('POST', '/api/billing/add-funds', { key: owner.key, body }),
      ]);
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      );
      assert.equal(await fixtures.balance({ userId: owner.id }), 45_000_000n);
    }
  });

  test('a setting for one transaction stays in it', async () => {
    const shown = sql`select current_setting('statement_timeout') as value`;
    const inside = await db.transaction((tx) => tx.one(shown), { statementTimeout: 0 });
    assert.deepEqual(inside, { value: '0' });
    const after = await Promise.all(
      Array.from({ length: 40 }, () => db.one<{ value: string }>(shown)),
    );
    assert.deepEqual(new Set(after.map(({ value }) => value)), new Set(['10s']));
  });

  test('PgBouncer killed and started again under load: 503 or done, never half, and it goes on by itself', async (t) => {
    const load = await startLoad(harness);
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      await pause(300);
      await bouncer.kill();
      await pause(100);
      await bouncer.start();
      times.push(await load.recovery());
    }
    await load.stop();
    assert.ok(load.counts.refused > 0);
    t.diagnostic(
      `${await verifyLoad(harness, load)}; all works again after ${times.join(', ')} ms`,
    );
  });
}
