import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, hashingQueue } from './hashing-queue.ts';

const HASH_MS = 20;

/** A clock that stands still until all that runs waits for it. */
function stoppedClock() {
  const due: { at: number; wake: () => void }[] = [];
  let time = 0;
  let spent = 0;
  const clock = {
    now: () => time,
    spent: () => spent,
    wait: (milliseconds: number) =>
      new Promise<void>((wake) => {
        due.push({ at: time + milliseconds, wake });
      }),
  } satisfies Clock;
  return {
    ...clock,
    /** A hash, which takes longer than it costs where other work slows the machine down. */
    work: async (slower = 1) => {
      await clock.wait(HASH_MS * slower);
      spent += HASH_MS;
    },
    runUntil: async (end: number) => {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        due.sort((a, b) => a.at - b.at);
        const next = due[0];
        if (next === undefined || next.at > end) break;
        due.shift();
        time = next.at;
        next.wake();
      }
      time = end;
    },
  };
}

const options = { atOnce: 1, waiting: 32, timeout: 5_000, share: 0.1, burst: 500 };

test('a flood gets its share and no more; a quiet time pays for the next burst', async () => {
  const clock = stoppedClock();
  const line = hashingQueue({ ...options, clock });
  let worked = 0;
  const work = async () => {
    await clock.work();
    worked++;
  };
  let ending = 60_000;
  const client = async () => {
    while (clock.now() < ending) await line.run(() => work()).catch(() => clock.wait(100));
  };
  const flood = () => Array.from({ length: 32 }, client);
  const first = flood();
  await clock.runUntil(ending);
  const sustained = 6_000 / HASH_MS;
  assert.ok(worked >= sustained && worked <= sustained + 500 / HASH_MS + 2, `${worked}`);
  await clock.runUntil(ending + 60_000);
  await Promise.all(first);

  worked = 0;
  ending = clock.now() + 1_000;
  const second = flood();
  await clock.runUntil(ending);
  assert.ok(worked >= 600 / HASH_MS && worked <= 600 / HASH_MS + 2, `${worked}`);
  await clock.runUntil(ending + 60_000);
  await Promise.all(second);
});

test('one alone never waits, and twenty at once do not pause', async () => {
  const clock = stoppedClock();
  const line = hashingQueue({ ...options, clock });
  const { work } = clock;
  for (let times = 1; times <= 10; times++) {
    const done = line.run(() => work());
    await clock.runUntil(clock.now() + HASH_MS);
    await done;
    await clock.runUntil(clock.now() + 10_000);
  }
  const begun = clock.now();
  const together = Promise.all(Array.from({ length: 20 }, () => line.run(() => work())));
  await clock.runUntil(begun + 20 * HASH_MS);
  await together;
});

test('503: who is first overtakes the others, and has places of their own', async () => {
  let busy = 0;
  const clock = stoppedClock();
  const line = hashingQueue({
    ...options,
    waiting: 2,
    clock,
    onBusy: () => busy++,
  });
  const order: string[] = [];
  const run = (name: string, first = false) =>
    line.run(() => clock.work().then(() => order.push(name)), { first });
  const others = ['running', 'a', 'b'].map((name) => run(name));
  assert.throws(line.requirePlace, { status: 503, code: 'sign_in_busy' });
  await assert.rejects(run('c'), { status: 503, code: 'sign_in_busy' });
  const known = ['d', 'e'].map((name) => run(name, true));
  await assert.rejects(run('f', true), { status: 503, code: 'sign_in_busy' });
  await clock.runUntil(1_000);
  await Promise.all([...others, ...known]);
  assert.deepEqual(order, ['running', 'd', 'e', 'a', 'b']);
  assert.equal(busy, 3);
  line.requirePlace();
});

test('503: no one waits for longer than their timeout, however long each takes', async () => {
  const clock = stoppedClock();
  const line = hashingQueue({ ...options, clock });
  const waited: number[] = [];
  const settled = Promise.allSettled(
    Array.from({ length: 32 }, () =>
      line.run(() => {
        waited.push(clock.now());
        return clock.work(5);
      }),
    ),
  );
  await clock.runUntil(60_000);
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length + waited.length, 32);
  assert.ok(waited.length >= 9 && Math.max(...waited) <= options.timeout, `${waited}`);
});

test('a failure frees its place', async () => {
  const line = hashingQueue({ ...options, waiting: 1, share: 1 });
  await assert.rejects(
    line.run(() => Promise.reject(new Error('no memory'))),
    /no memory/,
  );
  assert.equal(await line.run(async () => 'done'), 'done');
});
