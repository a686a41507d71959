import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('no receipt is due for what was posted before, one for what is posted afterwards', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0104-receipts.sql') });
  const old = await connect(url);
  const due = (key: string) =>
    old.query(`
      insert into invoice_due (transfer_key, top_up_id)
      values ('${key}', 'aaaaaaaa-0000-4000-8000-000000000001')`);
  // Without the postings that these keys refer to.
  await old.query('set session_replication_role = replica');
  await due('before');
  await migrate(url);
  await due('after');
  const { rows } = await old.query(
    'select transfer_key, mails_receipt from invoice_due order by transfer_key',
  );
  assert.deepEqual(rows, [
    { transfer_key: 'after', mails_receipt: true },
    { transfer_key: 'before', mails_receipt: false },
  ]);
});
