import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { access, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gitDirOf } from '../../code/repositories/git.ts';
import { reapUnfinished } from './reap-repositories.ts';
import { openRepositories } from './repository.ts';

const directory = await mkdtemp(join(tmpdir(), 'guildhall-reap-'));
after(() => rm(directory, { recursive: true }));

test('what git left when it was killed goes after an hour, a lock of a reference after two minutes, a push after a day', async () => {
  const place = {
    projectId: randomUUID(),
    taskId: randomUUID(),
    workTree: join(directory, 'tree'),
  };
  await mkdir(place.workTree);
  const repositories = openRepositories(directory);
  await writeFile(join(place.workTree, 'file'), 'content');
  await repositories.commit(place, 'Before');
  const gitDir = gitDirOf(directory, place.projectId);
  const hours = (count: number) => Date.now() / 1_000 - count * 3_600;
  const left = async (path: string, age: number) => {
    await writeFile(join(gitDir, path), 'x');
    await utimes(join(gitDir, path), hours(age), hours(age));
  };
  await mkdir(join(gitDir, 'objects/ff'), { recursive: true });
  for (const name of ['tmp_objdir-incoming-new', 'tmp_objdir-incoming-old'])
    await mkdir(join(gitDir, 'objects', name));
  await left('objects/tmp_objdir-incoming-old/content', 25);
  await utimes(join(gitDir, 'objects/tmp_objdir-incoming-new'), hours(23), hours(23));
  await utimes(join(gitDir, 'objects/tmp_objdir-incoming-old'), hours(25), hours(25));
  const old = ['objects/pack/tmp_pack_a', 'objects/pack/tmp_idx_a', 'objects/ff/tmp_obj_a'];
  for (const path of old) await left(path, 1.1);
  await left(`tmp_index-${place.taskId}-${randomUUID()}.lock`, 1.1);
  await left('refs/heads/main.lock', 0.05);
  await left('refs/heads/new.lock', 0.01);
  await left('objects/ff/tmp_obj_new', 0.9);
  await left('objects/pack/kept', 48);

  // Of another repository of the project.
  const other = gitDirOf(directory, place.projectId, 'other');
  await mkdir(join(other, 'objects/pack'), { recursive: true });
  await writeFile(join(other, 'objects/pack/tmp_pack_b'), 'x');
  await utimes(join(other, 'objects/pack/tmp_pack_b'), hours(2), hours(2));

  assert.equal(await reapUnfinished(directory), 7);
  const isThere = (path: string) =>
    access(join(gitDir, path)).then(
      () => true,
      () => false,
    );
  for (const path of [...old, 'objects/tmp_objdir-incoming-old', 'refs/heads/main.lock'])
    assert.equal(await isThere(path), false, path);
  for (const path of [
    'objects/tmp_objdir-incoming-new',
    'objects/ff/tmp_obj_new',
    'objects/pack/kept',
    'refs/heads/new.lock',
  ])
    assert.equal(await isThere(path), true, path);
  await writeFile(join(place.workTree, 'file'), 'more');
  assert.ok(await repositories.commit(place, 'After'));
});

test('no folder of repositories yet: nothing to remove', async () => {
  assert.equal(await reapUnfinished(join(directory, 'missing')), 0);
});
