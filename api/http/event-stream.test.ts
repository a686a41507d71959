import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventStreams, type ServerEvent } from './event-stream.ts';

/** Events that come at this interval, in milliseconds, without end; `ended` once no one reads. */
function ticks(interval: number) {
  const state = { ended: false };
  async function* events(): AsyncGenerator<ServerEvent> {
    try {
      for (;;) {
        yield { data: '{}' };
        await pause(interval);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, events: events() };
}

/** Who may read: asked `times` times with success, and then refused. */
function readerOf(times: number) {
  const asked = { count: 0 };
  return { asked, mayRead: async () => ++asked.count <= times };
}

for (const [name, interval] of [
  ['busy', 1],
  ['silent', 60_000],
] as const)
  test(`a ${name} stream ends soon after its reader may read no more, and does not call them back`, async () => {
    const streams = eventStreams({ heartbeat: 20 });
    const { events, state } = ticks(interval);
    const { asked, mayRead } = readerOf(2);
    const sent = await text(streams.open(events, mayRead));
    assert.equal(asked.count, 3);
    assert.match(sent, /^:\n\ndata: \{\}\n\n/);
    assert.doesNotMatch(sent, /retry/);
    assert.equal(streams.count(), 0);
    // Where the events come from is told to stop, and stops when its next one is ready.
    for (let i = 0; interval === 1 && !state.ended && i < 200; i++) await pause(5);
    assert.equal(state.ended, interval === 1);
  });

test('a reader who may read on is asked again and again, and told to come back at the end', async () => {
  const streams = eventStreams({ heartbeat: 10, life: 100, retry: 7 });
  const { asked, mayRead } = readerOf(1000);
  const sent = await text(streams.open(ticks(60_000).events, mayRead));
  assert.ok(asked.count >= 3, String(asked.count));
  assert.match(sent, /retry: 7\n\n$/);
});
