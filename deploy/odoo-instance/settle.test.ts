import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type pg from 'pg';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import * as databases from './database.ts';
import { modulesIn, settle } from './settle.ts';
import { Unusable } from './unusable.ts';

/** What is done to the database of a dump after Odoo has neutralised it. With Odoo: real-dump.test.ts. */

const TABLES = `
  create table ir_config_parameter (key text primary key, value text);
  insert into ir_config_parameter values
    ('database.is_neutralized', 'true'), ('web.base.url', 'https://erp.example.com'),
    ('web.base.url.freeze', 'True'), ('auth_totp.policy', 'all_required'), ('x', 'y');
  create table ir_cron (id serial, active boolean);
  insert into ir_cron (active) values (true), (false);
  create table ir_mail_server (id serial, active boolean);
  insert into ir_mail_server (active) values (true);
  create table fetchmail_server (id serial, active boolean);
  insert into fetchmail_server (active) values (true);
  create table payment_provider (id serial, state text);
  insert into payment_provider (state) values ('enabled'), ('test');
  create table ir_module_module (name text, state text, latest_version text);
  insert into ir_module_module values ('base', 'installed', '19.0.1.3'), ('sale', 'installed', '1'),
    ('crm', 'uninstalled', null);
  create table ir_attachment (id serial);
  create table ir_model_data (module text, name text, model text, res_id int);
  insert into ir_model_data values ('base', 'user_admin', 'res.users', 2);
  create table res_users (id int, login text, active boolean, password text, totp_secret text);
  insert into res_users values (1, '__system__', false, null, null),
    (2, 'boss@example.com', false, 'hash', 'secret'), (3, 'admin', true, 'hash', null);
  create table res_users_apikeys (id serial, name text);
  insert into res_users_apikeys (name) values ('of production');`;

/** A database with what settle looks at, as its role sees it. */
async function odooLike(t: Pick<TestContext, 'after'>, more = '') {
  const { url, drop } = await cloneDatabase();
  const server = { connectionString: url };
  const name = `guildhall_test_settle_${randomUUID().slice(0, 8)}`;
  const { hostname, port, username, password } = new URL(url);
  const own = { host: hostname, port: Number(port), user: username, password };
  const key = await databases.connected(server, (client) =>
    databases.roleWithPassword(client, name),
  );
  const from = { ...own, database: new URL(url).pathname.slice(1) };
  await databases.copyDatabase(from, { from: 'template0', to: name, role: name });
  t.after(async () => {
    await databases.connected(server, async (client) => {
      await databases.drop(client, name);
      await databases.dropRole(client, name);
    });
    await drop();
  });
  const config: pg.ClientConfig = { ...own, database: name, user: name, password: key };
  const ask = (text: string) =>
    databases.connected(config, async (client) => (await client.query(text)).rows);
  await ask(TABLES + more);
  return { config, ask };
}

test('what acts by itself is off, what signs people in is gone, and the administrator is admin', async (t) => {
  const { config, ask } = await odooLike(t);
  for (const _ of [1, 2]) await settle(config, '19.0');
  assert.deepEqual(await ask('select * from res_users order by id'), [
    { id: 1, login: '__system__', active: false, password: null, totp_secret: null },
    { id: 2, login: 'admin', active: true, password: null, totp_secret: null },
    { id: 3, login: 'admin_3', active: true, password: null, totp_secret: null },
  ]);
  for (const query of [
    'ir_cron where active',
    'ir_mail_server where active',
    'fetchmail_server where active',
    "payment_provider where state = 'enabled'",
    'res_users_apikeys',
  ])
    assert.deepEqual(await ask(`select from ${query}`), [], query);
  assert.deepEqual(await ask('select * from ir_config_parameter order by key'), [
    { key: 'database.is_neutralized', value: 'true' },
    { key: 'web.base.url', value: 'http://localhost:8069' },
    { key: 'x', value: 'y' },
  ]);
  assert.deepEqual(await modulesIn(config), { base: '', sale: '' });
});

const again = (table: string, change: string) => `
  create function again() returns trigger language plpgsql as 'begin ${change}; return new; end';
  create trigger again before update on ${table} for each row execute function again();`;
const REFUSED: Record<string, [string, RegExp]> = {
  'a trigger that switches scheduled actions on again': [
    again('ir_cron', 'new.active = true'),
    /not neutralised\. Scheduled actions/,
  ],
  'one for outgoing mail servers': [
    again('ir_mail_server', 'new.active = true'),
    /Outgoing mail servers/,
  ],
  'one for incoming mail servers': [
    again('fetchmail_server', 'new.active = true'),
    /Incoming mail servers/,
  ],
  'one for payment providers': [
    again('payment_provider', "new.state = ''enabled''"),
    /Payment providers/,
  ],
  'one for passwords': [again('res_users', "new.password = ''a''"), /Passwords/],
  'one for second factors': [again('res_users', "new.totp_secret = ''a''"), /second factors/],
  'keys that cannot be deleted': [
    'create rule stays as on delete to res_users_apikeys do instead nothing;',
    /API keys/,
  ],
  'a database that Odoo has not marked': [
    "update ir_config_parameter set value = 'false' where key = 'database.is_neutralized';",
    /has not marked/,
  ],
  'a view that hides what is on': [
    `alter table ir_cron rename to real_cron;
     create view ir_cron as select * from real_cron where not active;`,
    /ir_cron is no table/,
  ],
  'rows that a policy hides': [
    `alter table ir_cron enable row level security; alter table ir_cron force row level security;
     create policy hidden on ir_cron using (not active);`,
    /row-level security/,
  ],
  'a table that is missing': ['drop table ir_mail_server;', /ir_mail_server is missing/],
  'another version': [
    "update ir_module_module set latest_version = '18.0.1.3' where name = 'base';",
    /another version of Odoo: its module base is 18\.0\.1\.3/,
  ],
  'no administrator': ['delete from ir_model_data;', /no administrator/],
};

for (const [what, [more, reason]] of Object.entries(REFUSED))
  test(`refused: ${what}`, async (t) => {
    const { config } = await odooLike(t, more);
    await assert.rejects(settle(config, '19.0'), (error: Error) => {
      assert.match(error.message, reason);
      return error instanceof Unusable;
    });
  });

test('what is in its way in the database is not asked instead of what a check names', async (t) => {
  const { config, ask } = await odooLike(
    t,
    `create function public.lower(text) returns text language sql as 'select ''true''::text';
     create function public.fits(boolean, boolean) returns boolean language sql as 'select false';
     update ir_config_parameter set value = 'no' where key = 'database.is_neutralized';`,
  );
  await assert.rejects(settle(config, '19.0'), Unusable);
  assert.deepEqual(await ask('select count(*)::int as all from ir_cron'), [{ all: 2 }]);
});
