import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createSlots } from './overload.ts';

/** Work that ends when the test says so. */
const held = () => Promise.withResolvers<string>();
const refused = { status: 503, code: 'overloaded', headers: { 'retry-after': '1' } };

test('work beyond the limit is refused at once and never begun', async () => {
  const slots = createSlots(2);
  const first = held();
  const second = held();
  const running = [slots.run(() => first.promise), slots.run(() => second.promise)];
  assert.equal(slots.taken(), 2);
  let begun = false;
  const third = slots.run(async () => {
    begun = true;
  });
  await assert.rejects(third, refused);
  assert.equal(begun, false);
  assert.equal(slots.taken(), 2, 'a refusal takes nothing and frees nothing');
  first.resolve('one');
  second.resolve('two');
  assert.deepEqual(await Promise.all(running), ['one', 'two']);
});

test('a slot is free as soon as its work has ended: well, with an error, or by throwing before its first await', async () => {
  const slots = createSlots(1);
  const broken = new Error('broken');
  assert.equal(await slots.run(async () => 'done'), 'done');
  await assert.rejects(
    slots.run(() => Promise.reject(broken)),
    broken,
  );
  const throws = () => {
    throw broken;
  };
  await assert.rejects(slots.run(throws), broken);
  assert.equal(slots.taken(), 0);
  assert.equal(await slots.run(async () => 'again'), 'again');
});

test('work that follows an ended one in the same turn finds its slot free', async () => {
  const slots = createSlots(1);
  for (let turn = 0; turn < 100; turn++) assert.equal(await slots.run(async () => turn), turn);
});

test('slots are stuck from the moment that the last one was taken until one becomes free', async () => {
  const slots = createSlots(2);
  const [first, second] = [held(), held()];
  const running = [slots.run(() => first.promise)];
  assert.equal(slots.stuckFor(), 0);
  running.push(slots.run(() => second.promise));
  await pause(50);
  const stuck = slots.stuckFor();
  assert.ok(stuck >= 45, `${stuck} ms`);
  first.resolve('one');
  await running[0];
  assert.equal(slots.stuckFor(), 0);
  const next = slots.run(async () => 'next');
  assert.ok(slots.stuckFor() < stuck);
  second.resolve('two');
  await Promise.all([...running, next]);
});
