import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { HOURLY_WORK } from '../billing/background.ts';
import { connectSingle } from '../db/database/single-connection.ts';
import { readConfig } from '../platform/config/config.ts';
import { openFileStore } from '../platform/files/open-file-store.ts';
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

test('a server removes the bytes of files that were deleted, without a wait for its hourly work', async () => {
  const database = await cloneDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    PORT: '0',
    BILLING: 'off',
  });
  const store = await openFileStore(config.files.folder, config.files.s3);
  const [deleted, other] = [1, 2].map(() => `${randomUUID()}/${randomUUID()}`) as [string, string];
  for (const key of [deleted, other]) await store.put(key, new Blob(['x']).stream() as never, 1);
  const owner = await connectSingle(database.url, { ssl: false });
  await owner.query(
    `insert into file_removal values ($1, now() - interval '2 minutes'), ($2, now())`,
    [deleted, other],
  );
  await owner.query(
    `insert into hourly_work (name, next_at) values ($1, now() + interval '1 hour')`,
    [HOURLY_WORK],
  );
  const { close } = await start(config, { log: pino({ level: 'silent' }) });
  await until('the first is removed, and the second not yet', async () => {
    const { rows } = await owner.query('select storage_key from file_removal');
    return rows.length === 1 && rows[0].storage_key === other;
  });
  const stored = [];
  for await (const page of store.list()) stored.push(...page.map(({ key }) => key));
  assert.deepEqual(stored, [other]);
  await close();
  await owner.end();
  await database.drop();
});
