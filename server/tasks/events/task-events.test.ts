import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';

const { events } = await startHarness();

test('a wait leaves nothing behind, whatever ends it: a listener would keep its signal for ever', async () => {
  const task = crypto.randomUUID();
  await events.log.acquire(task, 1n, 'test');
  for (const end of ['time', 'event', 'abort'] as const) {
    const caller = new AbortController();
    const waited = events.wait(task, 0, end === 'time' ? 10 : 60_000, caller.signal);
    if (end === 'event') await events.log.append(task, 1n, [{ type: 'message', payload: {} }]);
    if (end === 'abort') caller.abort();
    await waited;
    assert.deepEqual(getEventListeners(caller.signal, 'abort'), [], end);
  }
});
