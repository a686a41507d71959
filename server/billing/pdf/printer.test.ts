import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pagesOf, printed } from '../../testing/fixtures/billing/pdf.ts';
import { draw } from './draw.ts';
import { openPrinter } from './printer.ts';

const item = JSON.stringify(printed);
/** Its thread has opened the fonts once for the tests that share it. */
const printer = openPrinter();

test('a PDF made by the thread is the one that is drawn here, also after the thread has left', async () => {
  const leaving = openPrinter({ idle: 1 });
  const expected = new Uint8Array(await draw(printed, 'a4'));
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await leaving.print({ item, paper: 'a4' }), expected);
    await setTimeout(50);
  }
});

test('what cannot be drawn is an error of its own request, and the next one is drawn', async () => {
  const asked = [item, '{}', item].map((each) => printer.print({ item: each, paper: 'letter' }));
  const [first, broken, last] = await Promise.allSettled(asked);
  assert.deepEqual(
    [first?.status, broken?.status, last?.status],
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await assert.rejects(asked[1] as Promise<unknown>, /could not be drawn/);
  assert.equal((await pagesOf((await asked[2]) as Uint8Array)).length, 1);
});

test('one PDF waits for one of a workspace that asked for twenty', async () => {
  const done: string[] = [];
  const print = async (name: string, ...parties: string[]) => {
    await printer.print({ item, paper: 'a4' }, parties);
    done.push(name);
  };
  const wide = Array.from({ length: 20 }, (_, i) => print('theirs', `member ${i}`, 'workspace'));
  await Promise.all([...wide, print('mine', 'me')]);
  assert.equal(done.indexOf('mine'), 1);
});

test('what takes too long is given up', async () => {
  const hasty = openPrinter({ timeout: 1 });
  await assert.rejects(hasty.print({ item, paper: 'a4' }), /could not be drawn/);
  await assert.rejects(hasty.print({ item, paper: 'a4' }), /could not be drawn/);
});

test('the event loop goes on while twenty are drawn', async () => {
  let [turns, isDone] = [0, false];
  const all = Promise.all(
    Array.from({ length: 20 }, () => printer.print({ item, paper: 'a4' })),
  ).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setTimeout(1);
    turns++;
  }
  const pdfs = await all;
  assert.ok(turns > 20, `${turns} turns`);
  for (const pdf of pdfs) assert.deepEqual(pdf, pdfs[0]);
});
