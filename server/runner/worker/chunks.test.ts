import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BATCH_CHARACTERS,
  BATCH_EVENTS,
  gatherChunks,
  MOST_PENDING,
  TURN_EVENT_BYTES,
  TURN_EVENTS,
} from './chunks.ts';
import { type TurnEvent, TurnFailed } from './runner.ts';

/** What an agent writes faster than it can be appended. */

const output = (length: number): TurnEvent => ({
  type: 'tool_call_update',
  payload: { toolCallId: 't', content: 'x'.repeat(length) },
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

/** Appends that end one by one, each with the next `settle`. */
function slow() {
  const batches: TurnEvent[][] = [];
  const ends: (() => void)[] = [];
  const append = (...batch: TurnEvent[]) => {
    batches.push(batch);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const settleAll = async (ended: Promise<void>) => {
    let over = false;
    const waited = ended.finally(() => {
      over = true;
    });
    for (; !over; await new Promise(setImmediate)) ends.shift()?.();
    return waited;
  };
  return { batches, append, settleAll };
}

test('what comes in during an append is one append afterwards, in order and bounded', async () => {
  const { batches, append, settleAll } = slow();
  const chunks = gatherChunks(append, assert.ifError);
  const small = Array.from({ length: BATCH_EVENTS + 10 }, (_, n) => ({
    type: 'tool_call_update',
    payload: { n },
  }));
  const large = Array.from({ length: 5 }, () => output(BATCH_CHARACTERS * 0.4));
  const huge = output(BATCH_CHARACTERS * 1.5);
  const all = [...small, ...large, huge, output(1)];
  for (const event of all) chunks.event(event);
  await settleAll(chunks.end());
  assert.deepEqual(batches.flat(), all);
  const sizes = batches.map((batch) => batch.length);
  assert.deepEqual(sizes, [1, BATCH_EVENTS, 11, 2, 1, 1, 1]);
});

test('a text that waits grows, up to a bound; what comes between two texts keeps its place', async () => {
  const { batches, append, settleAll } = slow();
  const chunks = gatherChunks(append, assert.ifError);
  const line = 'forty characters of output of an agent.\n';
  const lines = 10_000;
  for (let n = 0; n < lines; n++) chunks.text({ type: 'message', text: line });
  chunks.event(output(1));
  chunks.text({ type: 'message', text: 'more' });
  chunks.text({ type: 'thought', text: 'deep' });
  await settleAll(chunks.end());
  const events = batches.flat();
  const texts = events.map(({ payload }) => (payload as { text?: string }).text ?? '');
  assert.equal(texts.slice(0, -3).join(''), line.repeat(lines));
  assert.deepEqual(
    events.slice(-3).map(({ type }) => type),
    ['tool_call_update', 'message', 'thought'],
  );
  assert.deepEqual(texts.slice(-2), ['more', 'deep']);
  // 400,000 characters: one event for each 2,048 would be 196.
  assert.ok(events.length < 40, String(events.length));
  assert.ok(texts.every((text) => text.length <= 32_768));
  assert.ok(batches.length <= 4, String(batches.length));
});

test('pieces of two messages never become one event, neither gathered nor while they wait', async () => {
  const { batches, append, settleAll } = slow();
  const chunks = gatherChunks(append, assert.ifError);
  chunks.event(output(1));
  for (const [text, messageId] of [
    ['The ', 'a'],
    ['plan', 'a'],
    ['Notice', undefined],
    ['.', 'a'],
    ['Next', 'b'],
  ] as const)
    chunks.text({ type: 'message', text, ...(messageId === undefined ? {} : { messageId }) });
  await settleAll(chunks.end());
  assert.deepEqual(
    batches.flat().slice(1),
    [
      { text: 'The plan', messageId: 'a' },
      { text: 'Notice' },
      { text: '.', messageId: 'a' },
      { text: 'Next', messageId: 'b' },
    ].map((payload) => ({ type: 'message', payload })),
  );
});

test('when an append fails, no writer waits for room', async () => {
  const errors: unknown[] = [];
  const append = () => Promise.reject(new Error('no database'));
  const chunks = gatherChunks(append, (error) => errors.push(error));
  chunks.event(output(MOST_PENDING));
  await chunks.room();
  assert.equal(chunks.room(), undefined);
  for (let n = 0; n < 3; n++) chunks.event(output(MOST_PENDING));
  assert.equal(chunks.room(), undefined);
  await assert.rejects(chunks.end());
  assert.match(String(errors[0]), /no database/);
  assert.equal(errors.length, 1);
});

for (const [what, size, most] of [
  ['bytes', 1024 ** 2, TURN_EVENT_BYTES / 1024 ** 2],
  ['events', 1, TURN_EVENTS],
] as const)
  test(`a turn with too many ${what} fails once, and nothing more is appended`, async () => {
    const errors: unknown[] = [];
    let appended = 0;
    const append = async (...batch: TurnEvent[]) => {
      appended += batch.length;
    };
    const chunks = gatherChunks(append, (error) => errors.push(error));
    for (let n = 0; n < most + 100; n++) chunks.event(output(size));
    chunks.text({ type: 'message', text: 'more' });
    await chunks.end();
    assert.ok(appended <= most && appended >= most - 1, String(appended));
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof TurnFailed);
    assert.match(errors[0].message, /wrote more than a turn may/);
    assert.equal(chunks.room(), undefined);
  });
