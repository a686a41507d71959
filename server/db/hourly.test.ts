import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';
import { claimHour, postpone } from './hourly.ts';
import { sql } from './sql.ts';

const { db } = await startHarness();

test('race: of many processes that find an hour over, one does its work; the next hour is anybody’s again', async () => {
  const claims = async () =>
    (await Promise.all(Array.from({ length: 12 }, () => claimHour(db, 'audit')))).filter(Boolean)
      .length;
  assert.equal(await claims(), 1);
  assert.equal(await claims(), 0);
  assert.equal(await claimHour(db, 'another work'), true);
  await db.many(
    sql`update hourly_work set next_at = now() - interval '1 second' where name = 'audit'`,
  );
  assert.equal(await claims(), 1);
});

test('work that takes long waits longer than an hour, and what is short for no less', async () => {
  const waits = async () =>
    (
      await db.one<{ minutes: number }>(sql`
        select round(extract(epoch from next_at - now()) / 60)::int as minutes
          from hourly_work where name = 'long work'`)
    ).minutes;
  await claimHour(db, 'long work');
  await postpone(db, 'long work', 60_000);
  assert.equal(await waits(), 60);
  await postpone(db, 'long work', 7_200_000);
  assert.equal(await waits(), 120);
  assert.equal(await claimHour(db, 'long work'), false);
});

test('an hour that was noted while the clock was wrong is forgotten once it is right again', async () => {
  const at = (ahead: string) =>
    db.many(sql`
      update hourly_work set next_at = now() + ${ahead}::interval where name = 'a jump'`);
  assert.equal(await claimHour(db, 'a jump'), true);
  await at('1 year');
  const claims = Array.from({ length: 12 }, () => claimHour(db, 'a jump'));
  assert.equal((await Promise.all(claims)).filter(Boolean).length, 1);
  assert.equal(await claimHour(db, 'a jump'), false);
  await postpone(db, 'a jump', 1_000 * 86_400_000);
  assert.equal(await claimHour(db, 'a jump'), false, 'a day is the longest that anything waits');
});
