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
