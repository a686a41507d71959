import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createTurns } from './turns.ts';

/** In which order work of these parties is done, all of it asked for while the first one runs. */
async function orderOf(...asked: (readonly [string, ...string[]])[]): Promise<string[]> {
  const turns = createTurns();
  const done: string[] = [];
  const all = asked.map(([name, ...parties]) =>
    turns.take(parties, async () => {
      await setTimeout(1);
      done.push(name);
    }),
  );
  await Promise.all(all);
  return done;
}

const many = (count: number, name: string, ...parties: string[]) =>
  Array.from({ length: count }, (_, i) => [`${name}${i + 1}`, ...parties] as [string, ...string[]]);

test('what one party asks for waits for one piece of work of another that asked for a hundred', async () => {
  const done = await orderOf(...many(100, 'a', 'A'), ['b', 'B'], ['c', 'C']);
  assert.deepEqual(done.slice(0, 5), ['a1', 'b', 'c', 'a2', 'a3']);
  assert.equal(done.length, 102);
});

test('those who wait take turns, each in the order in which it asked', async () => {
  const done = await orderOf(...many(3, 'a', 'A'), ...many(2, 'b', 'B'), ...many(3, 'c', 'C'));
  assert.deepEqual(done, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'c3']);
});

test('neither a person in many workspaces nor a workspace of many people gets more turns', async () => {
  const ada = Array.from({ length: 20 }, (_, i) => [`a${i + 1}`, 'Ada', `w${i}`] as const);
  assert.equal((await orderOf(...ada, ['b', 'Bob'])).indexOf('b'), 1);
  const acme = Array.from({ length: 20 }, (_, i) => [`a${i + 1}`, `u${i}`, 'Acme'] as const);
  assert.equal((await orderOf(...acme, ['b', 'Bob'])).indexOf('b'), 1);
});

test('no one is passed for ever by others who come one after another', async () => {
  const turns = createTurns();
  const done: string[] = [];
  const take = (name: string, party: string) =>
    turns.take([party], async () => {
      await setTimeout(1);
      done.push(name);
    });
  const own = [take('a1', 'A'), take('a2', 'A')];
  const others: Promise<void>[] = [];
  while (!done.includes('a2') && others.length < 20) {
    others.push(take('other', `${others.length}`));
    await setTimeout(1);
  }
  await Promise.all([...own, ...others]);
  assert.ok(done.indexOf('a2') <= 4, `${done.indexOf('a2')} were done before`);
});

test('work that fails is an error of its own, and the next turn comes', async () => {
  const turns = createTurns();
  const failing = turns.take(['A'], () => {
    throw new Error('not now');
  });
  const next = turns.take(['A'], async () => 'done');
  await assert.rejects(failing, /not now/);
  assert.equal(await next, 'done');
});
