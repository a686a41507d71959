import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../testing/harness/until.ts';
import { openThread } from './thread.ts';

/** Does what it is sent: answers, ends by itself, or ends after it has answered. */
const SOURCE = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (what) => {
    if (what === 'end') process.exit(3);
    parentPort.postMessage(what);
    if (what === 'end later') setImmediate(() => process.exit(3));
  });
  parentPort.postMessage('loaded');`;
const file = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);

/** A thread whose start takes longer than any work may. */
const SLOW = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);${SOURCE}`;

/** Longer than the tests: nothing here waits for it. */
const open = () =>
  openThread<string, string>(file, { name: 'test', timeout: 600_000, memoryMb: 64 });
const options = { timeout: 60_000 };

test(
  'who waits for a thread that ends by itself learns it, and the next gets another',
  options,
  async () => {
    const thread = open();
    await assert.rejects(thread.run('end'), /did not do a piece of work/);
    assert.equal(await thread.run('next'), 'next');
  },
);

test('a thread that has ended while nobody waited is replaced', options, async () => {
  const thread = open();
  assert.equal(await thread.run('end later'), 'end later');
  const next = () => thread.run('next').catch(() => undefined);
  await until('another thread works', async () => (await next()) === 'next');
});

test('the time that a thread takes to start is not that of its first piece of work', async () => {
  const slow = new URL(`data:text/javascript,${encodeURIComponent(SLOW)}`);
  const thread = openThread<string, string>(slow, { name: 'slow', timeout: 2_000, memoryMb: 64 });
  assert.equal(await thread.run('work'), 'work');
});
