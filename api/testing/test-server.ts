import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmbedded } from '../db/embedded.ts';
import { removeOutside } from '../db/embedded-files.ts';

/** Nothing of it outlives the run, so nothing is flushed to the disk. */
const VOLATILE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '300' };

export type TestServer = { url: string; stop(): Promise<void> };

/**
 * Starts a PostgreSQL for tests in a temporary directory. A process of its own keeps it and removes it all when
 * `stop` is called, or when this process ends, in whatever way: a run that was killed leaves nothing behind.
 */
export async function startTestServer(): Promise<TestServer> {
  const keeper = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // Ctrl-C is for the tests
  });
  const ended = new Promise<void>((done) => keeper.once('exit', () => done()));
  for await (const url of createInterface({ input: keeper.stdout })) {
    // Nothing of it may keep this process from ending.
    keeper.unref();
    keeper.stdout.destroy();
    (keeper.stdin as unknown as { unref(): void }).unref();
    const stop = () => {
      keeper.ref();
      keeper.stdin.end();
      return ended;
    };
    return { url, stop };
  }
  throw new Error('the PostgreSQL for the tests did not start: see above');
}

async function keep(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-test-'));
  await chmod(dataDir, 0o755); // as root, PostgreSQL's own user has to pass
  try {
    const server = await startEmbedded({ dataDir, settings: VOLATILE });
    const over = new Promise((done) => process.stdin.once('close', done).resume());
    process.stdout.write(`${server.url}\n`);
    await over;
    await server.stop();
  } finally {
    await removeOutside(dataDir);
    await rm(dataDir, { recursive: true });
  }
}

if (import.meta.main) await keep();
