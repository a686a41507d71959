import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { connectSingle } from '../db/database/single-connection.ts';
import { readConfig } from '../platform/config/config.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { until } from '../testing/harness/until.ts';
import { OTHER_SECRET } from './open-pushes.ts';
import { start } from './start.ts';

test('a start whose dashboard cannot be built ends with that, and leaves no connection', async () => {
  const database = await cloneDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    PORT: '0',
  });
  const dashboard = Promise.reject(new Error('it could not be built'));
  dashboard.catch(() => {});
  await assert.rejects(start(config, { log: pino({ level: 'silent' }), dashboard }), {
    message: 'it could not be built',
  });
  const client = await connectSingle(database.url, { ssl: false });
  await until('no other connection', async () => {
    const { rows } = await client.query(
      'select from pg_stat_activity where datname = current_database()',
    );
    return rows.length === 1;
  });
  await client.end();
  await database.drop();
});

test('a start with another secret than the first one says so to whoever starts it', async () => {
  const database = await cloneDatabase();
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    PORT: '0',
    BILLING: 'off',
  };
  const notesWith = async (secret: string) => {
    const config = readConfig({ ...env, SERVER_SECRET: secret });
    const { notes, close } = await start(config, { log: pino({ level: 'silent' }) });
    await close();
    return notes;
  };
  const first = 'the first secret, which is long enough';
  assert.deepEqual(await notesWith(first), []);
  assert.deepEqual(await notesWith('another secret, which is long enough'), [OTHER_SECRET]);
  assert.deepEqual(await notesWith(first), []);
  await database.drop();
});
