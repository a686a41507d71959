import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  addressOf,
  contentOf,
  folder,
  git,
  gitIn,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

test('a push after which a repository would be larger than GIT_REPOSITORY_MB is refused, and leaves nothing', async () => {
  const home = await folder();
  after(() => rm(home, { recursive: true, force: true }));
  const dataDir = join(home, 'data');
  const { url, db, fixtures, unchanged } = await startHarness({
    env: { DATA_DIR: dataDir, GIT_REPOSITORY_MB: '1' },
  });
  const repositories = await repositoriesIn(dataDir, db);
  const ada = await fixtures.user();
  const id = await fixtures.project({ organizationId: await fixtures.workspace(ada) });
  const branch = branchOf(await fixtures.task(id, ada));
  const mine = join(home, 'mine');
  await git(home, 'clone', addressOf(url, id, ada.key), mine);
  await git(mine, 'switch', '-c', branch);
  const commit = async (name: string, bytes: number) => {
    await writeFile(join(mine, name), randomBytes(bytes));
    await git(mine, 'add', '.');
    await git(mine, 'commit', '-m', name);
  };
  await commit('small', 300_000);
  await git(mine, 'push', 'origin', branch);
  await commit('large', 1_500_000);
  const before = await contentOf(gitDirOf(repositories, id));
  const { ok, text } = await unchanged(() => gitIn(mine, 'push', 'origin', branch));
  assert.equal(ok, false, text);
  assert.match(text, /The repository would take up \d+ KiB; it may have at most 1024 KiB\./);
  assert.deepEqual(await contentOf(gitDirOf(repositories, id)), before);
});
