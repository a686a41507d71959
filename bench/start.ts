import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { spread } from './measure.ts';
import { startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';

const ROUNDS = 5;

/**
 * The time from the start of the process to its first line: with an empty DATA_DIR, with an
 * existing one, and with a running PostgreSQL.
 */
export async function start({ adminUrl, say }: Setting): Promise<void> {
  const times: Record<string, number[]> = {
    'first start, empty DATA_DIR': [],
    'DATA_DIR is there': [],
    DATABASE_URL: [],
  };
  const timed = async (
    name: string,
    databaseUrl: string | undefined,
    env: Record<string, string> = {},
  ) => {
    const began = performance.now();
    const server = await startGuildhall(databaseUrl, env, { work: true });
    times[name]?.push(performance.now() - began);
    await server.stop();
  };
  for (let round = 1; round <= ROUNDS; round++) {
    say(`start: round ${round} of ${ROUNDS}`);
    const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
    await chmod(dataDir, 0o755); // as root, PostgreSQL's own user has to pass
    try {
      await timed('first start, empty DATA_DIR', undefined, { DATA_DIR: dataDir });
      await timed('DATA_DIR is there', undefined, { DATA_DIR: dataDir });
      await timed('DATABASE_URL', adminUrl, { DATA_DIR: dataDir });
    } finally {
      await removeOutside(dataDir);
      await rm(dataDir, { recursive: true });
    }
  }
  say('');
  const rows = Object.entries(times).map(([name, list]) => {
    const { median, min, max } = spread(list);
    return `| ${name} | ${median.toFixed(0)} | ${min.toFixed(0)}–${max.toFixed(0)} |`;
  });
  process.stdout.write(
    ['| start | ms, median | min–max |', '|---|---:|---:|', ...rows, ''].join('\n'),
  );
}
