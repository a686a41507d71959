import assert from 'node:assert/strict';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { locationFile, originFile, removeOutside } from './outside.ts';

test('what lies outside of a DATA_DIR is removed with it, and not with a copy of it', async () => {
  const original = await temporaryFolder();
  const copy = await temporaryFolder();
  const place = join(await temporaryFolder(), 'data');
  await mkdir(place);
  await writeFile(originFile(place), original);
  for (const dataDir of [original, copy])
    await writeFile(locationFile(dataDir, 'postgres'), `${place}\n`);
  await removeOutside(copy);
  assert.ok((await stat(place)).isDirectory());
  await removeOutside(original);
  for (const path of [place, originFile(place)])
    await assert.rejects(stat(path), { code: 'ENOENT' });
});
