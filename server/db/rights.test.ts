import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cloneDatabase } from '../testing/database/database.ts';
import { migrationsForTests } from '../testing/database/migrations.ts';
import { migrate } from './migrate.ts';

/**
 * What a login of the server may do with a database, past anything that Guildhall itself would ask.
 */

const MIGRATIONS = join(import.meta.dirname, 'migrations');
const { client: admin, connect, release, template } = await migrationsForTests();

/**
 * A database with an owner who is no superuser, and a login for the server that is only a member of
 * guildhall_app.
 */
async function twoLogins() {
  const name = `guildhall_test_rights_${randomBytes(6).toString('hex')}`;
  const [owner, server] = [`${name}_owner`, `${name}_server`];
  await admin.query(`create role ${owner} login password 'x'; grant guildhall_app to ${owner}`);
  await admin.query(`create role ${server} login password 'x'; grant guildhall_app to ${server}`);
  await admin.query(`create database ${name} owner ${owner}`);
  after(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${owner}, ${server}`);
  });
  const url = (login: string) => {
    const url = new URL(template.replace(/[^/]+$/, name));
    url.username = login;
    url.password = 'x';
    return url.href;
  };
  return { name, owner, ownerUrl: url(owner), serverUrl: url(server) };
}

test('a login that owns nothing can use a migrated database; otherwise the error says who must migrate it', async () => {
  const { ownerUrl, serverUrl } = await twoLogins();
  await assert.rejects(migrate(serverUrl), /permission denied for schema public/);
  const { current } = await migrate(ownerUrl);
  assert.deepEqual(await migrate(serverUrl), { applied: [], current });
  const applied = await Promise.all(
    (await readdir(MIGRATIONS)).map(async (name) => [
      `migrations/${name}`,
      await readFile(join(MIGRATIONS, name), 'utf8'),
    ]),
  );
  const directory = await release({
    ...Object.fromEntries(applied),
    'migrations/9999-next.sql': 'select 1',
  });
  await assert.rejects(
    migrate(serverUrl, { directory }),
    /lacks 9999-next\.sql, and this login is not its owner: run .guildhall migrate./,
  );
  await (await connect(ownerUrl)).query("delete from schema_view where name ~ 'project_person'");
  await assert.rejects(migrate(serverUrl), /lacks views\/project_person\.sql, and this login/);
});

test('of a database of before version 0.1.0, such a login is told that its owner must migrate it', async () => {
  const { ownerUrl, serverUrl } = await twoLogins();
  await migrate(ownerUrl);
  const owner = await connect(ownerUrl);
  await owner.query(`
    delete from schema_migration;
    insert into schema_migration (name, sha256)
      values ('0001-foundation.sql', ''), ('0206-brief-answers-index.sql', '')`);
  await assert.rejects(
    migrate(serverUrl),
    /lacks 0001-schema\.sql, and this login is not its owner: run .guildhall migrate./,
  );
});

test('the server’s login cannot become the owner, make a table, even a temporary one, or touch history', async () => {
  const { owner, ownerUrl, serverUrl } = await twoLogins();
  await migrate(ownerUrl);
  const server = await connect(serverUrl);
  for (const forbidden of [
    `set role ${owner}`,
    'create table mine (id int)',
    'create temporary table billing_account (id int)',
    'delete from ledger_transfer',
    'update billing_account set balance = 1',
    'alter table ledger_transfer disable trigger all',
    "insert into schema_migration (name, sha256) values ('9999-x.sql', '')",
  ]) {
    await assert.rejects(server.query(forbidden), { code: '42501' }, forbidden);
    await assert.rejects(
      server.query(`set role guildhall_app; ${forbidden}`),
      { code: '42501' },
      forbidden,
    );
    await server.query('reset role');
  }
  await server.query("insert into app_user (email) values ('may@work.example')");
});

// A copy of a database does not keep what was revoked on the original: here temporary tables may be
// made.
test('a temporary table in the place of a real one is not what the functions of the owner write to', async () => {
  const clone = await cloneDatabase();
  const client = await connect(clone.url);
  after(() => clone.drop());
  const { rows } = await client.query(`
    with u as (insert into app_user (email) values ('eve@x.example') returning id) select id
      from u`);
  const account = (
    await client.query('select id from billing_account where user_id = $1', [rows[0].id])
  ).rows[0].id;
  await client.query('set role guildhall_app');
  await client.query(`
    create temporary table billing_account as select * from public.billing_account;
    create temporary table hold as select * from public.hold;
    create temporary table usage_event as select * from public.usage_event;
    create temporary table usage_settlement as select * from public.usage_settlement;
    create temporary table ran (as_whom text);
    grant all on ran, billing_account, hold to public;
    create function pg_temp.take_over() returns trigger language plpgsql as $$
      begin insert into pg_temp.ran values (current_user); return new; end $$;
    create trigger take_over before insert or update on pg_temp.billing_account
      for each row execute function pg_temp.take_over()`);
  await client.query(
    `insert into public.ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id, amount, account_id,
                                         reference_type, reference_id)
     values ('eve', 'promotion', '00000000-0000-4000-9000-000000000005', $1, 1000, $1, 'test', $1)`,
    [account],
  );
  await client.query(
    `insert into public.hold (account_id, amount, idempotency_key, reference_type, reference_id)
     values ($1, 400, 'eve', 'test', $1)`,
    [account],
  );
  const real = 'select balance::int, held::int from public.billing_account where id = $1';
  assert.deepEqual((await client.query(real, [account])).rows, [{ balance: 1000, held: 400 }]);
  await client.query("update public.hold set status = 'released'");
  assert.deepEqual((await client.query(real, [account])).rows, [{ balance: 1000, held: 0 }]);
  assert.deepEqual((await client.query('select * from pg_temp.ran')).rows, []);
});

test('every function that acts as its owner looks into temporary tables last', async () => {
  const { rows } = await admin.query(`
    select proname, proconfig from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace order by 1`);
  assert.ok(rows.length >= 4);
  for (const { proname, proconfig } of rows)
    assert.deepEqual(proconfig, ['search_path=pg_catalog, public, pg_temp'], proname);
});
