import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { type Sql, sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';
import { openLoopWhenDue, wakeLoops } from './loop-when-due.ts';

const { db, fixtures } = await startHarness();
const log = pino({ enabled: false });

/** A database for polls of its own, which counts what is asked. */
function counting() {
  let asked = 0;
  return {
    read: <Row>(query: Sql) => {
      asked += 1;
      return db.read<Row>(query);
    },
    asked: () => asked,
  };
}

test('a loop runs while something is due for it, and all loops are asked for together', async () => {
  const counted = counting();
  const user = await fixtures.user();
  const isNamed = (name: string) =>
    sql`exists (select from app_user where id = ${user.id} and name = ${name})`;
  const runs = { first: 0, second: 0 };
  const loop = (name: 'first' | 'second') =>
    openLoopWhenDue(
      async () => {
        runs[name] += 1;
      },
      { every: 10, what: name, log, db: counted, due: isNamed(name) },
    );
  const loops = [loop('first'), loop('second')];
  for (const each of loops) each.start();
  const rounds = async (count: number) => {
    const from = counted.asked();
    await until('it was polled', async () => counted.asked() >= from + count);
  };
  await rounds(3);
  assert.deepEqual(runs, { first: 0, second: 0 });
  await db.many(sql`update app_user set name = 'second' where id = ${user.id}`);
  await until('the second ran', async () => runs.second > 0);
  assert.equal(runs.first, 0);
  loops[0]?.wake();
  await loops[0]?.settled();
  assert.equal(runs.first, 1);
  await loops[1]?.stop();
  const ended = runs.second;
  await rounds(3);
  assert.equal(runs.second, ended);
  await db.many(sql`update app_user set name = 'first' where id = ${user.id}`);
  await until('the first ran', async () => runs.first > 1);
  await loops[0]?.stop();
  const asked = counted.asked();
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(counted.asked() <= asked + 1);
});

test('a database that cannot be asked ends nothing: the next poll finds what is due', async () => {
  let broken = true;
  const faulty = {
    read: <Row>(query: Sql) => (broken ? Promise.reject(new Error('away')) : db.read<Row>(query)),
  };
  let runs = 0;
  const loop = openLoopWhenDue(
    async () => {
      runs += 1;
    },
    { every: 5, what: 'a loop', log, db: faulty, due: sql`true` },
  );
  loop.start();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(runs, 0);
  broken = false;
  await until('it ran', async () => runs > 0);
  await loop.stop();
});

test('while a process holds something, its loop runs although nothing is due', async () => {
  let [holds, runs] = [false, 0];
  const counted = counting();
  const loop = openLoopWhenDue(
    async () => {
      runs += 1;
    },
    { every: 10, what: 'held', log, db: counted, due: sql`false`, holds: () => holds },
  );
  loop.start();
  await until('it was polled', async () => counted.asked() >= 3);
  assert.equal(runs, 0);
  holds = true;
  await until('it runs', async () => runs >= 2);
  await loop.stop();
});

test('loops that are woken again and again ask seldom, and once more after the last', async () => {
  const counted = counting();
  let runs = 0;
  const loop = openLoopWhenDue(
    async () => {
      runs += 1;
    },
    { every: 3_600_000, what: 'woken', log, db: counted, due: sql`true` },
  );
  loop.start();
  const began = performance.now();
  while (performance.now() - began < 200) {
    wakeLoops(counted);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const most = (performance.now() - began) / 50 + 1;
  assert.ok(counted.asked() <= most, `${counted.asked()} of ${most}`);
  runs = 0;
  wakeLoops(counted);
  await until('it ran', () => runs > 0);
  await loop.stop();
});
