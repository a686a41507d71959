import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { odooArguments } from './arguments.ts';
import { createDatabase, dropDatabase, makeItsOwn } from './database.ts';
import { hashPassword } from './hash-password.ts';

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

test('Odoo serves one database, to this machine, without workers and jobs', () => {
  const instance = { database: 'guildhall_1', port: '20001', folder: '/data' };
  assert.equal(
    odooArguments(instance).join(' '),
    '-d guildhall_1 --db-filter ^guildhall_1$ --no-database-list --http-interface=127.0.0.1 ' +
      '--http-port=20001 --data-dir=/data --workers=0 --max-cron-threads=0',
  );
});

test('a database is copied once, is no longer its template, and is dropped while it is used', async (t) => {
  const { url, drop } = await cloneDatabase();
  const at = (name: string) => ({ connectionString: new URL(`/${name}`, url).href });
  const [template, name] = ['template', 'copy'].map(
    (kind) => `guildhall_test_${kind}_${randomUUID().slice(0, 8)}`,
  ) as [string, string];
  const ask = async (database: string, ...statements: string[]) => {
    const client = new pg.Client(at(database));
    await client.connect();
    let rows: Record<string, string>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    await client.end();
    return rows;
  };
  const server = { connectionString: url };
  await createDatabase(server, template, 'template0');
  t.after(async () => {
    await dropDatabase(server, template);
    await drop();
  });
  await ask(
    template,
    'create table ir_config_parameter (key text, value text)',
    "insert into ir_config_parameter values ('database.uuid', 'a'), ('database.secret', 'b'), ('x', 'c')",
    'create table res_users (login text, password text)',
    "insert into res_users values ('admin', 'before'), ('demo', 'before')",
  );
  for (const _ of [1, 2]) await createDatabase(server, name, template);
  await makeItsOwn(at(name), 'secret');
  const parameters = Object.fromEntries(
    (await ask(name, 'select * from ir_config_parameter')).map(({ key, value }) => [key, value]),
  );
  assert.match(parameters['database.uuid'] ?? '', /^[0-9a-f-]{36}$/);
  assert.match(parameters['database.secret'] ?? '', /^[0-9a-f-]{36}$/);
  assert.notEqual(parameters['database.uuid'], parameters['database.secret']);
  assert.equal(parameters.x, 'c');
  const users = await ask(name, 'select * from res_users order by login');
  assert.match(users[0]?.password ?? '', /^\$pbkdf2-sha512\$25000\$/);
  assert.equal(users[1]?.password, 'before');
  const busy = new pg.Client(at(name));
  await busy.connect();
  const ended = new Promise((resolve) => busy.on('error', resolve));
  for (const _ of [1, 2]) await dropDatabase(server, name);
  await assert.rejects(ask(name, 'select'), { code: '3D000' });
  await ended;
  await busy.end().catch(() => undefined);
});
