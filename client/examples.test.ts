import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from '../server/db/sql.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { until } from '../server/testing/harness/until.ts';

/** The examples of README.md are one program, which compiles and runs against a server. */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const { db, events, fixtures, url } = await startHarness({ own: true });
const owner = await fixtures.user();
const folder = await mkdtemp(join(tmpdir(), 'guildhall-readme-'));
after(() => rm(folder, { recursive: true }));

const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
const program = blocks.join('\n').replace('http://127.0.0.1:8080', url);
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
await writeFile(join(folder, 'package.json'), '{"type": "module"}');
await writeFile(join(folder, 'examples.ts'), program);

test('the examples compile', async () => {
  const { compilerOptions } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
  const settings = { compilerOptions, include: ['examples.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', folder]);
});

/** What a worker would write about the task of the examples. */
async function plan(): Promise<void> {
  let task: { id: string } | undefined;
  await until(
    'the example has created its task',
    async () => {
      [task] = await db.many<{ id: string }>(sql`select id from task`);
      return task !== undefined;
    },
    60_000,
  );
  const { id } = task as unknown as { id: string };
  await events.log.acquire(id, 1n, 'worker');
  await events.log.append(id, 1n, [
    { type: 'turn_started', payload: { number: 1, kind: 'plan' } },
    { type: 'status', payload: { status: 'awaiting_approval' } },
  ]);
}

test('the examples run, and print what they promise', async () => {
  const env = { ...process.env, GUILDHALL_KEY: owner.key, NODE_TEST_CONTEXT: undefined };
  const running = run(process.execPath, ['examples.ts'], { cwd: folder, env, timeout: 60_000 });
  const [{ stdout }] = await Promise.all([running, plan()]);
  const lines = stdout.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>').split('\n');
  assert.deepEqual(
    lines.map((line) => line.replace(/"[^"]*" \S+$/, '<etag> <request>')),
    [
      `The key belongs to ${owner.email}.`,
      'queued 1',
      '201 /api/organizations/<id> Northwind <etag> <request>',
      'not_found Not Found',
      'There is no plan yet.',
      'String should have at least 1 character',
      'Add notes/greeting.md with a greeting. queued',
      '1',
      'workspace.create undefined',
      "turn_started { number: 1, kind: 'plan' }",
      "status { status: 'awaiting_approval' }",
      'name,amount',
      'Bolt,4',
      '',
      'true',
      '',
    ],
  );
});
