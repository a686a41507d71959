import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { cloneDatabase } from './database.ts';
import { asServer, describe, STATEMENTS_FILE } from './previous.ts';

/**
 * `npm run statements`: runs the tests of operations and background work, and records the
 * statements that the server sends.
 */

const ROOT = join(import.meta.dirname, '../../..');
const TESTS =
  'server/{billing,identity/keys,organizations/members,organizations/workspaces,projects,tasks/plans}/**/*.test.ts';
const MORE = [
  'server/http/idempotency.test.ts',
  'server/db/hourly.test.ts',
  'cli/world/load.test.ts',
];

const directory = await mkdtemp(join(tmpdir(), 'guildhall-statements-'));
try {
  const files = [...MORE];
  for await (const file of glob(TESTS, { cwd: ROOT })) files.push(file);
  const run = spawn(
    process.execPath,
    [
      `--import=${join(import.meta.dirname, 'watch-run.ts')}`,
      '--test',
      '--test-concurrency=2',
      '--test-reporter=dot',
      '--test-global-setup=server/testing/database/global-setup.ts',
      ...files.sort(),
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, GUILDHALL_TEST_STATEMENTS: directory } },
  );
  const [status] = await once(run, 'exit');
  if (status !== 0) throw new Error('a test failed: nothing was written');
  const written = await readdir(directory);
  const texts = await Promise.all(
    written.map(async (name) => JSON.parse(await readFile(join(directory, name), 'utf8'))),
  );
  if (texts.flat().length === 0) throw new Error('no statement was sent: nothing was written');
  const lines = await describeAll([...new Set<string>(texts.flat())].sort());
  await writeFile(STATEMENTS_FILE, lines.join(''));
  process.stdout.write(`\n${lines.length} statements in ${relative(ROOT, STATEMENTS_FILE)}\n`);
} finally {
  await rm(directory, { recursive: true });
}

async function describeAll(texts: string[]): Promise<string[]> {
  const clone = await cloneDatabase();
  const client = await asServer(clone.url);
  const lines: string[] = [];
  for (const text of texts) lines.push(`${JSON.stringify(await describe(client, text))}\n`);
  await client.end();
  await clone.drop();
  return lines;
}
