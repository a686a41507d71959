import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, folder, git, repositoriesIn } from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** A line on which 16 KiB pass in 100 ms, from the client to the server. */
async function slowLineTo(target: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const line = createServer((client) => {
    const server = connect(Number(port), hostname);
    const slowly = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks)
        for (let at = 0; at < chunk.length; at += 16_384) {
          yield chunk.subarray(at, at + 16_384);
          await pause(100);
        }
    };
    pipeline(client, slowly, server).catch(() => client.destroy());
    pipeline(server, client).catch(() => server.destroy());
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  after(() => line.close());
  return `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
}

test('a push takes as long as its line does, and is not cut off after REQUEST_TIMEOUT_MS', async () => {
  const home = await folder();
  after(() => rm(home, { recursive: true, force: true }));
  const env = { DATA_DIR: join(home, 'data'), REQUEST_TIMEOUT_MS: '1000' };
  const { url, db, fixtures } = await startHarness({ env });
  await repositoriesIn(env.DATA_DIR, db);
  const ada = await fixtures.user();
  const id = await fixtures.project({ userId: ada.id });
  const mine = join(home, 'mine');
  await git(home, 'clone', addressOf(await slowLineTo(url), id, ada.key), mine);
  await writeFile(join(mine, 'large.bin'), randomBytes(512 * 1024));
  await git(mine, 'add', '.');
  await git(mine, 'commit', '-m', 'Large');
  const began = performance.now();
  await git(mine, 'push', 'origin', 'HEAD:main');
  assert.ok(performance.now() - began > 2_000);
  assert.match(await git(mine, 'ls-remote', 'origin', 'main'), /^[0-9a-f]{40}\s/);
});
