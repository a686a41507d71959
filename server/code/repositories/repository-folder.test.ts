import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { RepositoryError } from './git.ts';
import { bindFolder, requireFolder } from './repository-folder.ts';

const harness = await startHarness();
const { db, fixtures } = harness;
const forget = () => harness.owner(sql`delete from repository_folder`);
afterEach(forget);

test('the first worker binds the database to its folder; others that share the folder may work, too', async () => {
  const folder = await temporaryFolder();
  await bindFolder(db, folder);
  await bindFolder(db, folder);
  assert.deepEqual(await readdir(folder), ['guildhall-id']);
  const { place } = await db.one<{ place: string }>(sql`select place from repository_folder`);
  assert.ok(place.endsWith(`:${folder}`), place);
});

test('a worker with other repositories is refused with a sentence, and writes nothing there', async () => {
  const [folder, empty, others] = await Promise.all([1, 2, 3].map(() => temporaryFolder()));
  await bindFolder(db, folder as string);
  await writeFile(join(others as string, 'guildhall-id'), 'a0000000-0000-4000-8000-000000000000\n');
  for (const [other, left] of [
    [empty, []],
    [others, ['guildhall-id']],
  ] as const) {
    await assert.rejects(bindFolder(db, other as string), (error) => {
      assert.ok(error instanceof RepositoryError);
      assert.ok(error.message.includes(other as string) && error.message.includes('DATA_DIR'));
      assert.ok(error.message.includes(folder as string) && error.message.includes('--no-work'));
      return true;
    });
    assert.deepEqual(await readdir(other as string), left);
  }
  await bindFolder(db, folder as string);
});

test('repositories of another database are refused with a sentence, and nothing is bound to them', async () => {
  const folder = await temporaryFolder();
  await bindFolder(db, folder);
  await forget();
  const strange = randomUUID();
  await mkdir(join(folder, strange));
  await assert.rejects(bindFolder(db, folder), (error) => {
    assert.ok(error instanceof RepositoryError);
    assert.match(
      error.message,
      /those of another database: .* Set DATABASE_URL as it was, or DATA_DIR/,
    );
    assert.ok(error.message.includes(folder));
    return true;
  });
  assert.deepEqual(await db.many(sql`select id from repository_folder`), []);
  assert.deepEqual((await readdir(folder)).sort(), [strange, 'guildhall-id'].sort());
  // One of its own beside it is enough: what was deleted may still lie there.
  const { id: userId } = await fixtures.user();
  await mkdir(join(folder, await fixtures.project({ userId })));
  await bindFolder(db, folder);
});

test('repositories that are lost are given up by deleting the row, and then the next folder counts', async () => {
  const [lost, next] = await Promise.all([temporaryFolder(), temporaryFolder()]);
  await bindFolder(db, lost);
  await assert.rejects(bindFolder(db, next), RepositoryError);
  await forget();
  await bindFolder(db, next);
  await assert.rejects(bindFolder(db, lost), RepositoryError);
});

test('a folder that is taken away, emptied or replaced while a worker runs is refused until it is back', async () => {
  const folder = join(await temporaryFolder(), 'repositories');
  const away = `${folder}.away`;
  await mkdir(folder);
  const id = await bindFolder(db, folder);
  await requireFolder(folder, id);
  await rename(folder, away);
  const refused = () =>
    assert.rejects(requireFolder(folder, id), (error) => {
      assert.ok(error instanceof RepositoryError);
      assert.ok(error.message.includes(folder) && error.message.includes('mounted'));
      return true;
    });
  await refused();
  await writeFile(folder, 'in the way');
  await refused();
  await rename(folder, `${folder}.file`);
  await mkdir(folder);
  await refused();
  await writeFile(join(folder, 'guildhall-id'), 'a0000000-0000-4000-8000-000000000000\n');
  await refused();
  assert.deepEqual(await readdir(folder), ['guildhall-id']);
  await rename(folder, `${folder}.other`);
  await rename(away, folder);
  await requireFolder(folder, id);
});

test('race: workers of one folder begin at once: all may work; of two folders, one wins', async () => {
  for (let round = 0; round < 10; round++) {
    const [one, other] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    const bound = await Promise.allSettled(
      [one, one, one, other, other, other].map((folder) => bindFolder(db, folder)),
    );
    const [first, second] = [bound.slice(0, 3), bound.slice(3)].map(
      (each) => new Set(each.map(({ status }) => status)),
    );
    assert.deepEqual(
      [...(first ?? []), ...(second ?? [])].sort(),
      ['fulfilled', 'rejected'],
      JSON.stringify(bound.map(({ status }) => status)),
    );
    await forget();
  }
});
