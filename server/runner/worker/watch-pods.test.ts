import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodDriver, PodError } from '../../platform/pods/pod.ts';
import { until } from '../../testing/harness/until.ts';
import { watchPods } from './watch-pods.ts';

test('while what pods need is not there, no work is begun, whatever their driver says', async (t) => {
  const driver = { check: async () => {} } as unknown as PodDriver;
  let missing: string | undefined = 'the folder is gone';
  const requires = async () => {
    if (missing !== undefined) throw new Error(missing);
  };
  const every = { works: 1, away: 1 };
  const watch = await watchPods(driver, { every, requires, onChange: () => {} });
  t.after(() => watch.close());
  assert.deepEqual([watch.fault(), watch.lacks()], ['The folder is gone.', true]);
  missing = undefined;
  await until('it is back', () => watch.fault() === undefined);
  assert.equal(watch.lacks(), false);
  missing = 'it is gone again';
  await until('it is gone', () => watch.fault() === 'It is gone again.');
});

/** A driver that says that it works, while pods cannot be started. */

test('pods that cannot be started are tried again, later each time', async (t) => {
  const driver = {
    check: async () => {},
    attach: async () => {
      throw new PodError('unavailable', 'the Pod does not start');
    },
  } as unknown as PodDriver;
  const changes: (string | undefined)[] = [];
  const every = { works: 1, away: 1 };
  const watch = await watchPods(driver, { every, onChange: (fault) => changes.push(fault) });
  t.after(() => watch.close());

  /** How long no other pod is started, in milliseconds. */
  async function failed(): Promise<number> {
    const begun = performance.now();
    await assert.rejects(watch.driver.attach('id'), { code: 'unavailable' });
    assert.equal(watch.fault(), 'The Pod does not start.');
    await until('others may be', () => watch.fault() === undefined);
    return performance.now() - begun;
  }
  for (let round = 0; round < 6; round += 1) await failed();
  // 1, 2, 4 … ms: this was the seventh.
  assert.ok((await failed()) >= 64);
  assert.deepEqual(new Set(changes), new Set(['The Pod does not start.', undefined]));
});
