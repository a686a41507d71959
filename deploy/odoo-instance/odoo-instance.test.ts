import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { changingArguments, servingArguments } from './arguments.ts';
import * as databases from './database.ts';
import { hashPassword } from './hash-password.ts';
import { tailOf } from './tail.ts';

/** The parts of the program for a local Odoo. For Odoo itself see real-odoo.test.ts. */

test('a password is hashed as passlib does', () => {
  const salt = Buffer.from('RHY0Fr3IDMSVO/RSZyb5ow==', 'base64');
  assert.equal(
    hashPassword('password', salt, 1212),
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s' +
      '.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  );
  assert.notEqual(hashPassword('password'), hashPassword('password'));
});

const run = { database: 'guildhall_1', addons: ['.', 'oca/web'], own: ['/opt/odoo/addons'] };

test('Odoo serves one database, without workers and jobs, and with the modules of the branch', () => {
  assert.equal(
    servingArguments(run).join(' '),
    '--database=guildhall_1 --db_host=/run/guildhall ' +
      '--no-database-list --data-dir=/pod/home --workers=0 --max-cron-threads=0 ' +
      '--addons-path=/opt/odoo/addons,/pod/work,/pod/work/oca/web --smtp=127.0.0.1 --smtp-port=2525',
  );
});

test('it installs, updates and tests modules, with demo data as its version has it', () => {
  const changes = { install: ['a'], update: ['b', 'c'], demo: false, version: '19.0' };
  const of = (more: object) =>
    changingArguments({ ...run, addons: [], own: [] }, { ...changes, ...more }).slice(6);
  assert.deepEqual(of({}), [
    '--stop-after-init',
    '--init=a',
    '--update=b,c',
    '--without-demo=true',
    '--no-http',
  ]);
  assert.deepEqual(of({ demo: true, testTags: '/a' }).slice(3), ['--with-demo', '--test-tags=/a']);
  assert.deepEqual(of({ demo: true, version: '18.0' }).slice(3), ['--no-http']);
});

test('what went wrong is kept from the first error on, otherwise the end', () => {
  const line = (level: string, text: string) =>
    `2026-11-28 11:00:00,000 2 ${level} db odoo: ${text}\n`;
  const said = (...chunks: string[]) => {
    const tail = tailOf();
    for (const chunk of chunks) tail.add(chunk);
    return tail.text();
  };
  const many = line('INFO', 'fine').repeat(1_000);
  assert.equal(
    said(many, line('CRITICAL', 'no').slice(0, 20), `${line('CRITICAL', 'no').slice(20)}Traceback`),
    `${line('CRITICAL', 'no')}Traceback`,
  );
  assert.ok(said(many).endsWith('fine') && said(many).length <= 16_000);
  assert.equal(said(line('ERROR', 'x'), 'y'.repeat(100_000)).length, 16_000);
});

test('a copy is for one role, which connects to no other database, and is dropped while it is used', async (t) => {
  const { url, drop } = await cloneDatabase();
  const mark = randomUUID().slice(0, 8);
  const [template, name, build] = ['template', 'copy', 'build'].map(
    (kind) => `guildhall_test_${kind}_${mark}`,
  ) as [string, string, string];
  const server = { connectionString: url };
  const at = (database: string, user?: string, password?: string) => {
    const address = new URL(`/${database}`, url);
    if (user !== undefined) [address.username, address.password] = [user, password ?? ''];
    return { connectionString: address.href };
  };
  const ask = async (of: pg.ClientConfig, ...statements: string[]) =>
    databases.connected(of, async (client) => {
      let rows: Record<string, string>[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows;
    });
  const asServer = <Result>(work: (client: pg.Client) => Promise<Result>) =>
    databases.connected(server, work);
  const copy = (from: string, to: string, role: string) =>
    databases.copyDatabase(partsOf(url), { from, to, role });
  const password = await asServer((client) => databases.roleWithPassword(client, build));
  await copy('template0', template, build);
  t.after(async () => {
    await asServer(async (client) => {
      for (const each of [template, name]) await databases.drop(client, each);
      for (const each of [name, build]) await databases.dropRole(client, each);
      const { rowCount } = await client.query('select from pg_roles where rolname like $1', [
        `guildhall_test_%_${mark}`,
      ]);
      assert.equal(rowCount, 0);
    });
    await drop();
  });
  await ask(
    at(template, build, password),
    'create table ir_config_parameter (key text, value text)',
    "insert into ir_config_parameter values ('database.uuid', 'a'), ('database.secret', 'b'), ('x', 'c')",
    'create table res_users (id serial, login text, password text, active bool)',
    // Someone has given the administrator another login, and another user that of the administrator.
    "insert into res_users (login, password, active) values ('boss', 'before', false), ('admin', 'before', true)",
    'create table ir_model_data (module text, name text, model text, res_id integer)',
    "insert into ir_model_data values ('base', 'user_admin', 'res.users', 1)",
    'create table res_users_apikeys (name text, user_id integer, index varchar(8), key text)',
  );
  await asServer(async (client) => {
    await databases.keepAsTemplate(client, template, build);
    await databases.note(client, template, { role: build, modules: { base: '' } });
    assert.deepEqual(await databases.installedIn(client, template), {
      role: build,
      modules: { base: '' },
    });
  });
  const own = await asServer((client) => databases.roleWithPassword(client, name));
  for (const _ of [1, 2]) await copy(template, name, name);
  for (const _ of [1, 2]) await databases.makeItsOwn(at(name, name, own), 'a secret password');
  await assert.rejects(ask(at(template, name, own), 'select'), { code: '42501' });
  await ask(at(name, name, own), 'alter table res_users add column more text');
  const parameters = Object.fromEntries(
    (await ask(at(name), 'select * from ir_config_parameter')).map(({ key, value }) => [
      key,
      value,
    ]),
  );
  assert.match(parameters['database.uuid'] ?? '', /^[0-9a-f-]{36}$/);
  assert.notEqual(parameters['database.uuid'], parameters['database.secret']);
  assert.equal(parameters.x, 'c');
  const users = await ask(at(name), 'select * from res_users order by id');
  assert.match(users[0]?.password ?? '', /^\$pbkdf2-sha512\$25000\$/);
  assert.equal(users[1]?.password, 'before');
  assert.deepEqual(
    users.map(({ login, active }) => [login, active]),
    [
      ['admin', true],
      ['admin_2', true],
    ],
  );
  const keys = await ask(at(name), 'select user_id, index from res_users_apikeys');
  assert.deepEqual(keys, [{ user_id: users[0]?.id, index: 'a secret' }]);
  const busy = new pg.Client(at(name));
  await busy.connect();
  const ended = new Promise((resolve) => busy.on('error', resolve));
  for (const _ of [1, 2]) await asServer((client) => databases.drop(client, name));
  await assert.rejects(ask(at(name), 'select'), { code: '3D000' });
  await ended;
  await busy.end().catch(() => undefined);
});

test('of what is kept for projects the newest stay, and what is used at that moment', async (t) => {
  const { url, drop } = await cloneDatabase();
  const prefix = `guildhall_test_kept_${randomUUID().slice(0, 8)}_`;
  const server = { connectionString: url };
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'first'].map((each) => `${prefix}${each}`);
  t.after(async () => {
    await databases.connected(server, async (client) => {
      for (const each of names) await databases.drop(client, each);
    });
    await drop();
  });
  await databases.connected(server, async (client) => {
    for (const [index, name] of names.entries()) {
      await client.query(`create database ${name} template template0`);
      const project = /_([ab])\d$/.exec(name)?.[1];
      const usedAt = `2026-11-28T10:00:0${index}.000Z`;
      await databases.note(client, name, {
        role: 'nobody_at_all',
        modules: {},
        ...(project && { project, usedAt }),
      });
    }
    const bounds = { ofProject: 2, ofAll: 3 };
    const left = async () =>
      (await databases.dropOldest(client, prefix, bounds)).map((each) => each.slice(-2));
    const busy = new pg.Client({ connectionString: new URL(`/${prefix}a1`, url).href });
    await busy.connect();
    assert.deepEqual(await left(), ['a2']);
    await busy.end();
    assert.deepEqual(await left(), ['a1']);
    assert.deepEqual(await left(), []);
    assert.ok(await databases.installedIn(client, `${prefix}first`));
  });
});

/** The parts of an address, because another database counts only without one. */
function partsOf(url: string): pg.ClientConfig {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: pathname.slice(1),
  };
}
