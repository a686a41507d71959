import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cloneDatabase } from '../../testing/database/database.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { verifySession } from './verify-session.ts';

const clone = await cloneDatabase();
after(() => clone.drop());

const verify = async (opened: Omit<DatabaseOptions, 'url'>, asked = opened) => {
  const db = openDatabase({ url: clone.url, ...opened });
  await verifySession(db, asked).finally(() => db.close());
};

test('each group of connections has its settings: the configured ones, a short lock_timeout, read-only', async () => {
  await verify({});
  await verify({ lockTimeout: 700, statementTimeout: 900, idleInTransactionTimeout: 1_000 });
});

test('a group that lacks a setting is found, and the message names it', async () => {
  await assert.rejects(verify({}, { lockTimeout: 700 }), /\(lock_timeout is 5000\)/);
  // A pooler that drops the start-up options does the same to every group.
  const db = openDatabase({ url: clone.url });
  const bare = openDatabase({ url: clone.url, pooler: 'transaction' });
  await assert.rejects(
    verifySession({ ...db, read: bare.many }, {}),
    /role is none, .*default_transaction_read_only is off/,
  );
  await assert.rejects(
    verifySession({ ...db, write: db.many }, {}),
    /\(lock_timeout is 5000\), as PgBouncer does/,
  );
  await Promise.all([db.close(), bare.close()]);
});
