import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachOf } from './each-of.ts';

test('each is done in turn, although some fail, and all failures are thrown', async () => {
  const done: number[] = [];
  const step = (n: number, fails?: Error) => async () => {
    done.push(n);
    if (fails !== undefined) throw fails;
  };
  const [one, two] = [new Error('one'), new Error('two')];
  await eachOf([step(1), step(2)]);
  await assert.rejects(eachOf([step(3, one), step(4)]), (error) => error === one);
  await assert.rejects(
    eachOf([step(5, one), step(6), step(7, two), step(8)]),
    (error) =>
      error instanceof AggregateError && error.errors[0] === one && error.errors[1] === two,
  );
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7, 8]);
});
