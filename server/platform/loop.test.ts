import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { openLoop } from './loop.ts';

const silent = pino({ level: 'silent' });

/** A loop whose work ends when the test says so. */
function openSteps() {
  const begun: PromiseWithResolvers<void>[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const work = () => {
    const step = Promise.withResolvers<void>();
    begun.push(step);
    return step.promise;
  };
  return { begun, lines, loop: openLoop(work, { every: 3_600_000, what: 'it', log }) };
}

test('what comes while it is being done is left out, and done once more if it was woken', async () => {
  const { begun, loop } = openSteps();
  loop.run();
  loop.run();
  begun[0]?.resolve();
  await setImmediate();
  assert.equal(begun.length, 1);
  loop.run();
  for (let i = 0; i < 3; i++) loop.wake();
  loop.run();
  assert.equal(begun.length, 2);
  begun[1]?.resolve();
  await setImmediate();
  assert.equal(begun.length, 3, 'once for all that have woken it');
  begun[2]?.resolve();
  await loop.stop();
  assert.equal(begun.length, 3);
});

test('the first of several failures is logged, and that it works again', async () => {
  const { begun, lines, loop } = openSteps();
  for (const failed of [true, true, false, false, true]) {
    loop.run();
    if (failed) begun.at(-1)?.reject(new Error('no'));
    else begun.at(-1)?.resolve();
    await setImmediate();
  }
  assert.deepEqual(lines, ['it failed; trying again', 'it works again', 'it failed; trying again']);
});

test('it stops once what has begun is done, and begins nothing more', async () => {
  const { begun, loop } = openSteps();
  loop.run();
  loop.wake();
  let isStopped = false;
  const stopping = loop.stop().then(() => {
    isStopped = true;
  });
  await setImmediate();
  assert.equal(isStopped, false);
  begun[0]?.resolve();
  await stopping;
  loop.run();
  loop.wake();
  assert.equal(begun.length, 1);
});

test('once started, it is done every so often', async () => {
  const twice = Promise.withResolvers<void>();
  let times = 0;
  const loop = openLoop(
    async () => {
      if (++times === 2) twice.resolve();
    },
    { every: 1, what: 'it', log: silent },
  );
  loop.start();
  await twice.promise;
  await loop.stop();
});
