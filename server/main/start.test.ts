import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { connectSingle } from '../db/database/single-connection.ts';
import { readConfig } from '../platform/config/config.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { until } from '../testing/harness/until.ts';
import { type StartOptions, start } from './start.ts';

/** A start that does not come to its end leaves nothing behind. */

/** Starts on a database of its own; afterwards, nobody is connected to it. */
async function refusedStart(options: StartOptions, expected: { message: string }): Promise<void> {
  const database = await cloneDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    PORT: '0',
  });
  await assert.rejects(start(config, { log: pino({ level: 'silent' }), ...options }), expected);
  const client = await connectSingle(database.url, { ssl: false });
  await until('no other connection', async () => {
    const { rows } = await client.query(
      'select from pg_stat_activity where datname = current_database()',
    );
    return rows.length === 1;
  });
  await client.end();
  await database.drop();
}

test('a start whose dashboard cannot be built ends with that', async () => {
  const dashboard = Promise.reject(new Error('it could not be built'));
  dashboard.catch(() => {});
  await refusedStart({ dashboard }, { message: 'it could not be built' });
});
