import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { linkSockets } from './link-sockets.ts';

test('whatever an agent has left under the name of a socket makes room for it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-sockets-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const outside = join(folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'file'), 'of the machine');
  const place = join(folder, 'tmp');
  await mkdir(join(place, 'model', 'in', 'it'), { recursive: true });
  await symlink(outside, join(place, 'model', 'link'));
  await symlink(outside, join(place, 'erp'));
  await linkSockets(place, { model: '/run/model', erp: '/run/erp', new: '/run/new' });
  for (const name of ['model', 'erp', 'new'])
    assert.equal(await readlink(join(place, name)), `/run/${name}`);
  assert.equal(await readFile(join(outside, 'file'), 'utf8'), 'of the machine');
});
