import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('servers of the previous release insert warnings before, between and after the migrations, each once', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0120-warnings-outlive-limits.sql') });
  const old = await connect(url);
  const one = async (text: string, ...values: unknown[]) => (await old.query(text, values)).rows[0];
  const user = (await one("insert into app_user (email) values ('a@x.example') returning id")).id;
  const account = (await one('select id from billing_account where user_id = $1', user)).id;
  const limit = async (person: string | null) =>
    (
      await one(
        'insert into spend_limit (account_id, user_id, amount) values ($1, $2, 100) returning id',
        account,
        person,
      )
    ).id;
  /** As the previous release does it; true if the warning was new. */
  const warn = async (id: string, level: string, amount = 100) =>
    (await one(
      `insert into spend_limit_warning (limit_id, user_id, month, level, amount)
       values ($1, $2, '2026-11-01', $3, $4)
       on conflict on constraint spend_limit_warning_once do nothing returning id`,
      id,
      user,
      level,
      amount,
    )) !== undefined;
  const [whole, personal] = [await limit(null), await limit(user)];
  assert.deepEqual([await warn(whole, 'warned'), await warn(personal, 'warned')], [true, true]);

  await migrate(url, { directory: await before('0121-warnings-outlive-limits-index.sql') });
  assert.deepEqual([await warn(whole, 'warned'), await warn(whole, 'reached')], [false, true]);
  const places = await old.query(`
    select level, account_id = '${account}' as placed, subject_id
      from spend_limit_warning order by level, subject_id nulls first`);
  assert.deepEqual(places.rows, [
    { level: 'reached', placed: true, subject_id: null },
    { level: 'warned', placed: true, subject_id: null },
    { level: 'warned', placed: true, subject_id: user },
  ]);

  await migrate(url);
  assert.deepEqual([await warn(whole, 'reached'), await warn(personal, 'reached')], [false, true]);
  for (const person of [null, user]) {
    await old.query('delete from spend_limit where user_id is not distinct from $1', [person]);
    const again = await limit(person);
    for (const level of ['warned', 'reached']) assert.equal(await warn(again, level), false);
    assert.equal(await warn(again, 'warned', 110), true);
  }
});
