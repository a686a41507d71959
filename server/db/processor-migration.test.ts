import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

/** Which processor each top-up belongs to after migration 0009, by its request. */
async function backfilled(stripe: boolean): Promise<Record<string, string>> {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0009') });
  const client = await connect(url);
  await client.query(`
    insert into app_user (email) values ('a@x.example'), ('b@x.example');
    insert into payment_method (id, user_id, token, brand, last4)
      select 'pm_' || md5(id::text), id, 'pm_card_visa', 'visa', '4242' from app_user;
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, status,
      processor_id, created_at)
      select a.id, u.id, r.request, p.id, r.amount, r.status, r.intent,
        now() + r.at * interval '1 day'
        from (values ('sandbox', 1, 'processing', 'pi_sandbox_1', 1),
                     ('stripe', 2, 'processing', 'pi_1', 3),
                     ('before', 3, 'created', null, 2),
                     ('after', 4, 'created', null, 4)) r(request, amount, status, intent, at)
        join app_user u on u.email = 'a@x.example'
        join payment_method p on p.user_id = u.id
        join billing_account a on a.user_id = u.id
       where ${stripe} or r.request <> 'stripe'`);
  await migrate(url);
  const { rows } = await client.query(
    'select request_id, processor from top_up order by created_at',
  );
  return Object.fromEntries(rows.map(({ request_id, processor }) => [request_id, processor]));
}

test('a top-up of before there was a choice belongs to who made its intent; without one, to who charges cards here', async () => {
  assert.deepEqual(await backfilled(false), {
    sandbox: 'sandbox',
    before: 'sandbox',
    after: 'sandbox',
  });
  assert.deepEqual(await backfilled(true), {
    sandbox: 'sandbox',
    before: 'sandbox',
    stripe: 'stripe',
    after: 'stripe',
  });
});
