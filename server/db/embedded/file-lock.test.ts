import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { tryLock } from './file-lock.ts';

test('a lock excludes others until it is released', async () => {
  const path = join(await temporaryFolder(), 'lock');
  const release = tryLock(path, 'exclusive');
  assert.equal(tryLock(path, 'shared'), undefined);
  release?.();
  assert.ok(tryLock(path, 'exclusive'));
});

test('a file that cannot be locked is refused with what DATA_DIR must be', async () => {
  const file = join(await temporaryFolder(), 'no-folder');
  await writeFile(file, '');
  assert.throws(
    () => tryLock(join(file, 'postgres.lock'), 'exclusive'),
    /postgres\.lock cannot be locked \(unable to open .*\): DATA_DIR must be a folder/,
  );
});
