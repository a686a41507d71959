import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { seriesOf } from '../testing/harness/metrics.ts';
import { measureDisk } from './disk.ts';

test('free space and size of the disk of each folder that exists', async () => {
  const registry = new Registry();
  measureDisk(registry, { pods: tmpdir(), files: '/does/not/exist' });
  const labels = '{folder="pods"}';
  const free = await seriesOf(registry, 'guildhall_disk_free_bytes');
  const size = await seriesOf(registry, 'guildhall_disk_size_bytes');
  assert.deepEqual([Object.keys(free), Object.keys(size)], [[labels], [labels]]);
  assert.ok((free[labels] as number) > 0 && (free[labels] as number) < (size[labels] as number));
});
