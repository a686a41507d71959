import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  makePod,
  makePods,
  run,
  type TestPods,
  withoutSandbox,
} from '../../../testing/fixtures/runner/pods.ts';

/** People clean up, and volumes go away, while a server runs. */

const options = { skip: await withoutSandbox(), timeout: 30_000 };

const runs = async (pods: TestPods, id: string) => {
  const pod = await pods.attach(id);
  const { code, stdout } = await run(pod, {
    command: 'sh',
    args: ['-c', 'whoami'],
    tree: 'writable',
  });
  return [code, stdout];
};

const GONE: Record<string, (pods: TestPods) => Promise<void>> = {
  'the whole folder': ({ directory }) => rm(directory, { recursive: true }),
  'what pods see as /etc': ({ directory }) => rm(join(directory, 'etc'), { recursive: true }),
  'one file of that': ({ directory }) => rm(join(directory, 'etc', 'hosts')),
};

for (const [what, remove] of Object.entries(GONE))
  test(
    `where ${what} of pods was removed, other pods are made, and look as those before`,
    options,
    async (t) => {
      const pods = await makePods(t, { sandbox: 'required' });
      const before = await readdir(join(pods.directory, 'etc'));
      const { mode } = await stat(pods.directory);
      await remove(pods);
      const id = randomUUID();
      await pods.create(id);
      assert.deepEqual(await runs(pods, id), [0, 'agent\n']);
      assert.deepEqual(await readdir(join(pods.directory, 'etc')), before);
      // Without users of their own for pods, the mode is that of every new folder.
      if (process.getuid?.() === 0) assert.equal((await stat(pods.directory)).mode, mode);
      await remove(pods);
      await pods.check();
      assert.deepEqual(await readdir(join(pods.directory, 'etc')), before);
    },
  );

test('a pod that is still there goes on without what was removed beside it', options, async (t) => {
  const pods = await makePods(t, { sandbox: 'required' });
  const { id } = await makePod(pods);
  await rm(join(pods.directory, 'etc'), { recursive: true });
  assert.deepEqual(await runs(pods, id), [0, 'agent\n']);
});

test(
  'where the folder cannot be made, pods are unavailable, with a sentence',
  options,
  async (t) => {
    const pods = await makePods(t, { sandbox: 'required' });
    await rm(pods.directory, { recursive: true });
    await writeFile(pods.directory, 'in the way');
    for (const work of [() => pods.check(), () => pods.create(randomUUID())])
      await assert.rejects(work, {
        code: 'unavailable',
        message: new RegExp(`the folder ${pods.directory} must be one that can be written`),
      });
    await rm(pods.directory);
    await pods.check();
  },
);

test(
  'under any umask, pods are confined, and none of them can change what all see as /etc',
  options,
  async (t) => {
    const before = process.umask();
    t.after(() => process.umask(before));
    for (const umask of [0o077, 0o000]) {
      process.umask(umask);
      const pods = await makePods(t, { sandbox: 'required' });
      process.umask(before);
      const etc = join(pods.directory, 'etc');
      const modes = async () => {
        const files = (await readdir(etc)).map((name) => join(etc, name));
        return Promise.all([etc, ...files].map(async (path) => (await stat(path)).mode & 0o777));
      };
      const expected = [0o755, 0o644, 0o644, 0o644];
      assert.deepEqual(await modes(), expected);
      process.umask(umask);
      await rm(etc, { recursive: true });
      await pods.check();
      process.umask(before);
      assert.deepEqual(await modes(), expected);
    }
  },
);
