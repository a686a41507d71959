import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processDriver } from '../../platform/pods/process/process-driver.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { watchPods } from './watch-pods.ts';

const harness = await startHarness({ own: true });
const tasks = workersOn(harness);

test('on a full disk no turn begins, and the operator is told which disk', async () => {
  // A file system that never has room.
  const driver = processDriver({
    directory: '/proc',
    limits: {} as never,
    sandbox: { bwrap: undefined } as never,
  });
  const changes: (string | undefined)[] = [];
  const watch = await watchPods(driver, { onChange: (fault) => void changes.push(fault) });
  watch.close();
  assert.deepEqual(changes, ['The disk of /proc is full: free some of it.']);
  assert.equal(watch.fault(), changes[0]);
});

for (const [what, error] of [
  ['the system', Object.assign(new Error('ENOSPC: no space left, write'), { code: 'ENOSPC' })],
  ['git', new Error('Command failed: git write-tree\nfatal: No space left on device')],
] as const)
  test(`a turn whose disk becomes full, as ${what} says, fails with what to do`, async () => {
    const { id, owner } = await tasks.task();
    tasks.worker(async () => {
      throw error;
    });
    await tasks.untilTurn(await tasks.queue(id, 'plan', 'Do it', owner), 'failed');
    const { status, reason } = await tasks.status(id);
    assert.equal(status, 'failed');
    assert.match(reason ?? '', /^The disk of the server is full: .* Send a message to try again/);
  });
