import { spawn } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { removeOutside } from '../../db/embedded/outside.ts';
import { copyAsStandby } from '../database/standby.ts';

/** None of it outlives the run, so nothing is flushed to disk. */
const VOLATILE = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '600',
};

export type TestServer = { url: string; dataDir: string; stop(): Promise<void> };

/** PostgreSQL's `settings`, and the DATA_DIR whose server this one is to follow. */
export type TestServerOptions = { settings?: Record<string, string>; standbyOf?: string };

/**
 * Starts a PostgreSQL for tests in a temporary directory. A separate process keeps it, and removes
 * everything when `stop` is called or this process ends for any reason, so a killed run leaves
 * nothing behind.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const keeper = spawn(process.execPath, [import.meta.filename, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // Ctrl-C is for the tests
  });
  const ended = new Promise<void>((done) => keeper.once('exit', () => done()));
  for await (const line of createInterface({ input: keeper.stdout })) {
    // Nothing of it may keep this process running.
    keeper.unref();
    keeper.stdout.destroy();
    (keeper.stdin as unknown as { unref(): void }).unref();
    const stop = () => {
      keeper.ref();
      keeper.stdin.end();
      return ended;
    };
    return { ...(JSON.parse(line) as { url: string; dataDir: string }), stop };
  }
  throw new Error('the PostgreSQL for the tests did not start: see above');
}

const MEMORY = '/dev/shm';
/** More than the databases of a run ever take. */
const MOST_BYTES = 4 * 1024 ** 3;

/** Where the files of a run are: in memory, if it has room for them. */
async function shortLived(): Promise<string> {
  const { bavail = 0, bsize = 0 } = (await statfs(MEMORY).catch(() => undefined)) ?? {};
  return Math.min(bavail * bsize, freemem()) > MOST_BYTES ? MEMORY : tmpdir();
}

async function keep({ settings = VOLATILE, standbyOf }: TestServerOptions): Promise<void> {
  const dataDir = await realpath(await mkdtemp(join(await shortLived(), 'guildhall-test-')));
  await chmod(dataDir, 0o755); // as root, PostgreSQL's own user has to pass
  try {
    if (standbyOf !== undefined) await copyAsStandby(standbyOf, dataDir);
    const server = await startEmbedded({ dataDir, settings });
    const over = new Promise((done) => process.stdin.once('close', done).resume());
    process.stdout.write(`${JSON.stringify({ url: server.url, dataDir })}\n`);
    await over;
    await server.stop();
  } finally {
    await removeOutside(dataDir);
    await rm(dataDir, { recursive: true });
  }
}

if (import.meta.main) await keep(JSON.parse(process.argv[2] ?? '{}'));
