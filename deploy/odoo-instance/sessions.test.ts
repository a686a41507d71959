import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { startTestServer } from '../../server/testing/harness/test-server.ts';
import { until } from '../../server/testing/harness/until.ts';
import { boundedGrowth, TooLarge } from './bounded-growth.ts';
import * as databases from './database.ts';

/**
 * What a killed program has left at work in PostgreSQL, which does not look whether its client is
 * there, as a role without the rights of a superuser ends it: the role of docs/erp.md.
 */

type Made = ReturnType<typeof cloneDatabase>;

async function operator(t: Pick<TestContext, 'after'>, made: Made = cloneDatabase()) {
  const { url, drop } = await made;
  const [name, role] = ['operator', 'instance'].map(
    (kind) => `guildhall_test_${kind}_${randomUUID().slice(0, 8)}`,
  ) as [string, string];
  await databases.connected({ connectionString: url }, (client) =>
    client.query(`create role ${name} login createdb createrole password 'of the operator'`),
  );
  t.after(async () => {
    await databases.connected({ connectionString: url }, async (client) => {
      for (const database of [role, `${role}_copy`]) await databases.drop(client, database);
      await client.query(`drop role if exists ${role}`);
      await databases.drop(client, 'guildhall_odoo_locks');
      await client.query(`drop role ${name}`);
    });
    await drop();
  });
  const { hostname, port } = new URL(url);
  const place = { host: hostname, port: Number(port) };
  const server = { ...place, database: 'postgres', user: name, password: 'of the operator' };
  const password = await databases.connected(server, (client) =>
    databases.roleWithPassword(client, role),
  );
  await databases.copyDatabase(server, { from: 'template0', to: role, role });
  /** A session that goes on whatever becomes of its client. */
  const atWork = async (database: string) => {
    const client = new pg.Client({ ...place, database, user: role, password });
    client.on('error', () => undefined);
    await client.connect();
    client.query('select pg_sleep(1e6)').catch(() => undefined);
    await until('it works', async () => (await sessions()).includes(database));
    (
      client as unknown as { connection: { stream: { destroy(): void } } }
    ).connection.stream.destroy();
  };
  const superuser = <Result>(work: (client: pg.Client) => Promise<Result>) =>
    databases.connected({ connectionString: url }, work);
  // Only a superuser sees what others do.
  const sessions = () =>
    databases.connected({ connectionString: url }, async (client) => {
      const { rows } = await client.query<{ at: string }>(
        "select datname as at from pg_stat_activity where usename = $1 and state = 'active'",
        [role],
      );
      return rows.map(({ at }) => at);
    });
  const asInstance = <Result>(database: string, work: (client: pg.Client) => Promise<Result>) =>
    databases.connected({ ...place, database, user: role, password }, work);
  return { server, superuser, role, atWork, sessions, asInstance };
}

test('what fills its database beyond what it may have is ended, and says so', async (t) => {
  const { server, role, sessions, asInstance } = await operator(t);
  const fill = (rows: number) =>
    asInstance(role, async (client) => {
      await client.query('create table if not exists filler (line text)');
      for (let i = 0; i < rows; i++)
        await client.query(
          "insert into filler select repeat('x', 1000) from generate_series(1, 5000)",
        );
    });
  const bound = { database: role, role, most: 40 * 1024 * 1024, every: 50 };
  let told = 0;
  const onTooLarge = () => {
    told += 1;
  };
  await boundedGrowth(server, { ...bound, onTooLarge }, () => fill(1));
  assert.equal(told, 0);
  const began = performance.now();
  await assert.rejects(
    boundedGrowth(server, { ...bound, onTooLarge }, () => fill(100_000)),
    (error: Error) => error instanceof TooLarge && /larger than 0\.0 GiB/.test(error.message),
  );
  assert.ok(told > 0);
  assert.ok(performance.now() - began < 60_000);
  assert.deepEqual(await sessions(), []);
});

test('a database is dropped although something is at work in it', async (t) => {
  const { server, role, atWork, sessions } = await operator(t);
  await atWork(role);
  await databases.connected(server, async (client) => {
    await databases.drop(client, role);
    await databases.dropRole(client, role);
    const { rowCount } = await client.query(
      `select from pg_roles where rolname = $1 union all
       select from pg_database where datname = $1`,
      [role],
    );
    assert.equal(rowCount, 0);
  });
  assert.deepEqual(await sessions(), []);
});

test('a database is dropped although PostgreSQL cleans up in it', async (t) => {
  // Of its own, whose settings are no others'.
  const { url, stop } = await startTestServer({
    settings: { fsync: 'off', autovacuum_naptime: '1s' },
  });
  const made = Promise.resolve({ url, drop: stop });
  const { server, superuser, role, asInstance } = await operator(t, made);
  await asInstance(role, async (client) => {
    await client.query(`create table filler (line text) with (
      autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,
      autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)`);
    await client.query(
      "insert into filler select repeat('x', 1000) from generate_series(1, 50000)",
    );
    await client.query('delete from filler');
  });
  await until('it cleans up', async () => {
    const { rowCount } = await superuser((client) =>
      client.query(
        "select from pg_stat_activity where datname = $1 and backend_type = 'autovacuum worker'",
        [role],
      ),
    );
    return rowCount !== 0;
  });
  await databases.connected(server, async (client) => {
    await databases.drop(client, role);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [role]);
    assert.equal(rowCount, 0);
  });
});

test('nothing of a role is at work elsewhere once it was dropped', async (t) => {
  const { server, role, atWork, sessions } = await operator(t);
  await atWork('postgres');
  await databases.connected(server, async (client) => {
    await databases.drop(client, role);
    await databases.dropRole(client, role);
  });
  assert.deepEqual(await sessions(), []);
});

test('what is kept as a template can be copied although something was at work in it', async (t) => {
  const { server, role, atWork } = await operator(t);
  const copy = `${role}_copy`;
  await atWork(role);
  await databases.connected(server, (client) => databases.keepAsTemplate(client, role, role));
  await databases.copyDatabase(server, { from: role, to: copy, role });
  assert.equal(
    await databases.connected({ ...server, database: copy }, async () => 'it is there'),
    'it is there',
  );
});

test('a database is copied although a program that was killed is at work in it', async (t) => {
  const { server, role, atWork, sessions } = await operator(t);
  await atWork(role);
  await databases.copyDatabase(server, { from: role, to: `${role}_copy`, role });
  assert.deepEqual(await sessions(), []);
});

test('what is made by one at a time is not held up by what an instance locks', async (t) => {
  const { server, role, asInstance } = await operator(t);
  await asInstance('postgres', async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [role]);
    let at = 0;
    let most = 0;
    const made = [1, 2, 3, 4].map(() =>
      databases.alone(server, role, async () => {
        most = Math.max(most, ++at);
        await pause(50);
        at -= 1;
      }),
    );
    await Promise.race([
      Promise.all(made),
      pause(10_000).then(() => assert.fail('it was held up')),
    ]);
    assert.equal(most, 1);
  });
  await assert.rejects(
    asInstance('guildhall_odoo_locks', async () => undefined),
    { code: '42501' },
  );
});

test('a connection that ends between two statements fails the work at once, and ends no process', async (t) => {
  const { server, role, asInstance } = await operator(t);
  await assert.rejects(
    asInstance(role, async () => {
      await databases.connected(server, (client) => databases.endSessions(client, role));
      return new Promise(() => {});
    }),
    { code: '57P01' },
  );
});
