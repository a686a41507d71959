import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherChunks, MOST_PENDING, TURN_EVENT_BYTES, TURN_EVENTS } from './chunks.ts';
import { type TurnEvent, TurnFailed } from './runner.ts';

/** What an agent writes faster than it can be appended. */

const output = (length: number): TurnEvent => ({
  ...{ type: 'tool_call_update', payload: { toolCallId: 't', content: 'x'.repeat(length) } },
});

test('while too much waits to be appended there is no room, and later there is', async () => {
  const appended: (() => void)[] = [];
  const append = () => new Promise<void>((resolve) => appended.push(resolve));
  const chunks = gatherChunks(append, assert.ifError);
  let written = 0;
  for (; chunks.room() === undefined; written += 32_768) chunks.event(output(32_768));
  assert.ok(written >= MOST_PENDING - 65_536 && written <= MOST_PENDING + 65_536, String(written));
  let room = false;
  const waiting = chunks.room()?.then(() => {
    room = true;
  });
  await new Promise(setImmediate);
  assert.equal(room, false);
  for (; !room; await new Promise(setImmediate)) appended.shift()?.();
  await waiting;
  assert.equal(chunks.room(), undefined);
});

test('when an append fails, no writer waits for room', async () => {
  const errors: unknown[] = [];
  const append = () => Promise.reject(new Error('no database'));
  const chunks = gatherChunks(append, (error) => errors.push(error));
  chunks.event(output(MOST_PENDING));
  await chunks.room();
  assert.equal(chunks.room(), undefined);
  await assert.rejects(chunks.end());
  assert.match(String(errors[0]), /no database/);
});

for (const [what, size, most] of [
  ['bytes', 1024 ** 2, TURN_EVENT_BYTES / 1024 ** 2],
  ['events', 1, TURN_EVENTS],
] as const)
  test(`a turn with too many ${what} fails once, and nothing more is appended`, async () => {
    const errors: unknown[] = [];
    let appended = 0;
    const append = async () => void appended++;
    const chunks = gatherChunks(append, (error) => errors.push(error));
    for (let n = 0; n < most + 100; n++) chunks.event(output(size));
    chunks.text('message', 'more');
    await chunks.end();
    assert.ok(appended <= most && appended >= most - 1, String(appended));
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof TurnFailed);
    assert.match(errors[0].message, /wrote more than a turn may/);
    assert.equal(chunks.room(), undefined);
  });
