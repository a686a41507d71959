import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { LARGEST_PAYLOAD, LostFence } from './event-log.ts';
import { openEventLog } from './open-event-log.ts';

const clone = await cloneDatabase();
const proxy = await startProxy(clone.url);
const log = openEventLog({ url: clone.url });
const shaky = openEventLog({ url: proxy.url, statementTimeout: 2_000 });
const owner = new pg.Client(clone.url);
await owner.connect();
after(async () => {
  proxy.mend();
  await log.close();
  await shaky.close();
  await owner.end();
  await proxy.close();
  await clone.drop();
});

const events = (...numbers: number[]) => numbers.map((n) => ({ type: 'notice', payload: { n } }));
const numbersOf = async (task: string) =>
  (await log.read(task, 0, 1000)).map(({ payload }) => JSON.parse(payload).n);

async function taskOf(fence = 1n, on = log): Promise<string> {
  const task = randomUUID();
  assert.deepEqual(await on.acquire(task, fence, 'one'), { lastSeq: 0 });
  return task;
}

test('what comes before the end of a log is stored, and what comes after it is refused at once', async () => {
  const ending = openEventLog({ url: clone.url });
  const task = await taskOf(1n, ending);
  const before = ending.append(task, 1n, events(1));
  await ending.close();
  assert.equal(await before, 1);
  const began = performance.now();
  await assert.rejects(ending.append(task, 1n, events(2)), /was closed/);
  assert.ok(performance.now() - began < 5_000);
  assert.deepEqual(await numbersOf(task), [1]);
});

test('events are numbered per task from 1 without a gap, in the order of their calls', async () => {
  const tasks = await Promise.all([taskOf(), taskOf(), taskOf()]);
  const turnId = randomUUID();
  const last = await Promise.all(
    tasks.flatMap((task) => [
      log.append(task, 1n, events(1, 2)),
      log.append(task, 1n, [{ type: 'message', payload: 'x', turnId }]),
      log.append(task, 1n, events(3)),
    ]),
  );
  assert.deepEqual(last, [2, 3, 4, 2, 3, 4, 2, 3, 4]);
  for (const task of tasks) {
    const read = await log.read(task, 1, 2);
    assert.deepEqual(
      read.map(({ seq, type, payload, turnId }) => [seq, type, payload, turnId]),
      [
        [2, 'notice', '{"n":2}', null],
        [3, 'message', '"x"', turnId],
      ],
    );
    assert.deepEqual(await log.head(task), { first: 1, last: 4 });
  }
});

test('a task without events: nothing to read, and a head of 0', async () => {
  assert.deepEqual(await log.head(randomUUID()), { first: 1, last: 0 });
  assert.deepEqual(await log.read(randomUUID(), 0, 10), []);
});

test('what waits for a tick takes one statement for all tasks', async () => {
  const tasks = await Promise.all(Array.from({ length: 20 }, () => taskOf()));
  const before = await updates();
  await Promise.all(tasks.map((task) => log.append(task, 1n, events(1))));
  await Promise.all(tasks.map((task) => log.append(task, 1n, events(2))));
  assert.ok((await updates()) - before <= 4);
  for (const task of tasks) assert.deepEqual(await numbersOf(task), [1, 2]);
});

// Transactions that moved rows of task_log, by their ids.
async function updates(): Promise<number> {
  const { rows } = await owner.query(
    'select count(distinct xmin::text)::int as n from task_log where last_seq > 0',
  );
  return rows[0].n;
}

test('LostFence: after a take-over the old owner appends nothing, what it had queued included', async () => {
  const task = await taskOf(1n);
  await log.append(task, 1n, events(1));
  const other = openEventLog({ url: clone.url });
  assert.deepEqual(await other.acquire(task, 2n, 'two'), { lastSeq: 1 });
  const late = [log.append(task, 1n, events(2)), log.append(task, 1n, events(3))];
  for (const append of late) await assert.rejects(append, LostFence);
  assert.equal(await other.append(task, 2n, events(4)), 2);
  await assert.rejects(log.append(task, 1n, events(5)), LostFence);
  assert.deepEqual(await numbersOf(task), [1, 4]);
  await other.close();
});

test('acquiring is refused below the fence or for another owner of it, and repeatable', async () => {
  const task = await taskOf(5n);
  assert.equal(await log.acquire(task, 4n, 'one'), undefined);
  assert.equal(await log.acquire(task, 5n, 'two'), undefined);
  assert.deepEqual(await log.acquire(task, 5n, 'one'), { lastSeq: 0 });
});

test('a lost fence of one task delays and refuses no other of the same statement', async () => {
  const [lost, kept] = [await taskOf(1n), await taskOf(1n)];
  await owner.query('update task_log set fence = 9 where task_id = $1', [lost]);
  const refused = assert.rejects(log.append(lost, 1n, events(1)), LostFence);
  assert.equal(await log.append(kept, 1n, events(1)), 1);
  await refused;
  assert.deepEqual(await numbersOf(lost), []);
});

test('U+0000, lone surrogates and every other text are stored as they are', async () => {
  const task = await taskOf();
  const text = 'a\0b\ud800c\udfff\u2028\n"\\{},NULL';
  await log.append(task, 1n, [{ type: 'message', payload: { text } }]);
  const [event] = await log.read(task, 0, 1);
  assert.equal(JSON.parse(event?.payload as string).text, text);
});

test('a payload that is too large is replaced by its size', async () => {
  const task = await taskOf();
  const fits = 'x'.repeat(LARGEST_PAYLOAD - 2);
  await log.append(task, 1n, [
    { type: 'message', payload: fits },
    { type: 'message', payload: `${fits}x` },
  ]);
  const read = await log.read(task, 0, 2);
  assert.equal(read[0]?.payload.length, LARGEST_PAYLOAD);
  assert.deepEqual(JSON.parse(read[1]?.payload as string), {
    omitted: 'too_large',
    bytes: LARGEST_PAYLOAD + 1,
  });
});

test('events that cannot be stored are refused at once, and none of their call is', async () => {
  const task = await taskOf();
  for (const bad of [
    { type: 'No Type', payload: 1 },
    { type: '', payload: 1 },
    { type: 'a\0', payload: 1 },
    { type: 'notice', payload: undefined },
    { type: 'notice', payload: 1n },
    { type: 'notice', payload: 1, turnId: 'x' },
  ])
    await assert.rejects(log.append(task, 1n, [...events(1), bad]), TypeError);
  await assert.rejects(log.append(task, 1n, []), TypeError);
  await assert.rejects(log.append('x', 1n, events(1)), TypeError);
  assert.deepEqual(await numbersOf(task), []);
});

test('a connection cut at any moment of an append loses no event and doubles none', async () => {
  const task = await taskOf(1n, shaky);
  const sent = Array.from({ length: 60 }, (_, n) => n);
  const cutting = (async () => {
    for (let i = 0; i < 6; i++) {
      await pause(20 + Math.random() * 30);
      proxy.cut();
      await pause(20);
      proxy.mend();
    }
  })();
  const appended: Promise<number>[] = [];
  for (const n of sent) {
    appended.push(shaky.append(task, 1n, events(n)));
    await pause(5);
  }
  await cutting;
  assert.deepEqual(
    await Promise.all(appended),
    sent.map((n) => n + 1),
  );
  assert.deepEqual(await numbersOf(task), sent);
});
