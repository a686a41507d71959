import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { until } from '../../testing/harness/until.ts';
import { migrate } from '../migrate.ts';
import { locksOf } from './take-locks.ts';

const { connect, release, emptyDatabase } = await migrationsForTests();

test('the tables that a text locks are found, with the strongest mode of each', () => {
  const text = `
    -- alter table in_comment add x int; what isn't one
    alter table only one add column x int references two (id), add y text default 'alter table no; references no';
    alter table three validate constraint c;
    create trigger t before insert or update of a, b on four for each row execute function f();
    create or replace trigger t after insert on one for each row execute function f();
    create index on five (a);
    create index six_a on six (a);
    update seven set a = 1;
    create or replace function f() returns trigger language plpgsql as $$
    begin alter table in_body add x int; end $$;
    drop trigger if exists t on eight;`;
  assert.deepEqual(Object.fromEntries(locksOf(text)), {
    one: 'access exclusive',
    two: 'share row exclusive',
    four: 'share row exclusive',
    five: 'share',
    six: 'share',
    seven: 'share row exclusive',
    eight: 'access exclusive',
  });
});

const TABLES = {
  'migrations/0001-a.sql': 'create table first (id int); create table second (id int)',
};
const BOTH = {
  ...TABLES,
  'migrations/0002-b.sql': 'alter table first add x int; alter table second add x int',
};

/** Reads `one`, and then `other` in the same transaction, as a request may. */
async function request(client: pg.Client, one: string, other: string): Promise<void> {
  await client.query(`begin; select from ${one}`);
  await client.query(`select from ${other}`);
  await client.query('commit');
}

for (const [one, other] of [
  ['first', 'second'],
  ['second', 'first'],
] as const)
  test(`requests that read ${one} and then ${other} are no victims of a migration of both`, async () => {
    const url = await emptyDatabase();
    await migrate(url, { directory: await release(TABLES) });
    const own = await connect(url);
    await own.query(`begin; select from ${one}`);
    const directory = await release(BOTH);
    const look = await connect(url);
    const migrating = migrate(url, { directory });
    const waits = async () => {
      const { rowCount } = await look.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'guildhall migrate' " +
          'and datname = current_database()',
      );
      return (rowCount ?? 0) > 0;
    };
    await until('the migration waits', waits);
    // It has, or waits for, what this one needs next.
    await own.query(`select from ${other}`);
    await own.query('commit');
    await migrating;
    await look.query('select first.x, second.x from first, second');
  });

test('under requests without a pause that read in the other order than it changes, none fails, and it ends', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(TABLES) });
  const clients = await Promise.all(Array.from({ length: 4 }, () => connect(url)));
  let over = false;
  let requests = 0;
  const running = Promise.all(
    clients.map(async (client) => {
      for (; !over; requests++) await request(client, 'second', 'first');
    }),
  );
  await until('they are at work', () => requests > 20);
  const { applied } = await migrate(url, { directory: await release(BOTH) }).finally(() => {
    over = true;
  });
  await running;
  assert.deepEqual(applied, ['0002-b.sql']);
});
