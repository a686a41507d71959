import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { emptyDatabase } from '../server/testing/database/database.ts';
import { runCommand, runProcess } from '../server/testing/processes/command.ts';

/**
 * A command that works on a database refuses a place where there is none, and creates nothing there
 * (ruling 10.3).
 */

const ID = '00000000-0000-4000-8000-000000000000';
const directory = await mkdtemp(join(tmpdir(), 'guildhall-no-database-'));
after(() => rm(directory, { recursive: true }));

const COMMANDS: Record<string, string[][]> = {
  migrate: [['migrate'], ['migrate', '--status']],
  backup: [['backup', join(tmpdir(), 'never.guildhall')]],
  keys: [
    ['keys', 'list'],
    ['keys', 'create', '--email', 'ada@example.com', '--name', 'laptop'],
    ['keys', 'revoke', ID],
  ],
  audit: [['audit', 'ledger']],
  reconcile: [['reconcile'], ['reconcile', '--watch']],
  refund: [['refund', '--top-up', ID]],
  report: [['report', '--month', '2026-01']],
  export: [['export', ID]],
  work: [['work']],
  credits: [['credits', 'grant', '--workspace', ID, '--amount', '1', '--reason', 'a test']],
  github: [
    ['github', 'list'],
    ['github', 'connect', '--installation', '1', '--workspace', ID],
    ['github', 'disconnect', '--installation', '1', '--workspace', ID],
  ],
  mail: [
    ['mail', 'list'],
    ['mail', 'resend', ID],
  ],
  retention: [['retention'], ['retention', '--dry-run']],
  secrets: [['secrets', 'rotate']],
  tasks: [
    ['tasks', 'list'],
    ['tasks', 'show', ID],
    ['tasks', 'watch', ID],
    ['tasks', 'cancel', ID],
  ],
  users: [
    ['users', 'list'],
    ['users', 'create', '--email', 'ada@example.com', '--name', 'Ada'],
    ['users', 'link', 'ada@example.com'],
    ['users', 'deactivate', ID],
    ['users', 'activate', ID],
    ['users', 'operator', ID],
  ],
};
const MAY_CREATE = ['serve', 'import', 'restore'];
/** Looks at what is there, and is content with nothing. */
const NEEDS_NONE = ['doctor'];

const run = (args: string[], env: Record<string, string>) => runCommand(args, { env });

test('these are all commands', async () => {
  const { out } = await run(['--help'], {});
  const names = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), [...MAY_CREATE, ...NEEDS_NONE, ...Object.keys(COMMANDS)].sort());
});

for (const args of Object.values(COMMANDS).flat()) {
  const name = args.filter((arg) => arg !== ID).join(' ');

  test(`${name}: a DATA_DIR that does not exist is refused, and is not created`, async () => {
    const dataDir = join(directory, 'missing', 'data');
    const { code, out, err } = await run(args, { DATA_DIR: dataDir });
    assert.deepEqual({ code, out }, { code: 2, out: '' });
    assert.match(err, /DATA_DIR must be .*: \/.*\/missing\/data does not exist/);
    assert.deepEqual(await readdir(directory), []);
  });
}

test('an unset DATA_DIR is refused the same way where no server has run', async () => {
  const { code, err } = await runProcess(['audit', 'ledger'], { cwd: directory });
  assert.equal(code, 2);
  assert.match(err, /\.guildhall does not exist/);
  assert.deepEqual(await readdir(directory), []);
});

test('a folder without a database is refused, and nothing is put into it', async () => {
  const dataDir = join(directory, 'other');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'notes.txt'), 'mine');
  for (const args of Object.values(COMMANDS).flat()) {
    const { code, out, err } = await run([...args, '--json'], { DATA_DIR: dataDir });
    assert.deepEqual({ code, out }, { code: 2, out: '' }, args.join(' '));
    assert.match(JSON.parse(err).error, /DATA_DIR must be .*other holds no database/);
    assert.deepEqual(await readdir(dataDir), ['notes.txt'], args.join(' '));
  }
  await rm(dataDir, { recursive: true });
});

test('a PostgreSQL of one’s own without Guildhall’s tables is refused by all but migrate, and stays empty', async () => {
  const empty = await emptyDatabase();
  const client = new pg.Client(empty.url);
  await client.connect();
  for (const args of Object.values(COMMANDS).flat()) {
    if (args[0] === 'migrate') continue;
    const { code, out, err } = await run(args, { DATABASE_URL: empty.url });
    assert.deepEqual({ code, out }, { code: 2, out: '' }, args.join(' '));
    assert.match(err, /DATABASE_URL must be .*has no tables of Guildhall.*guildhall -- migrate/s);
    const { rows } = await client.query(
      "select from pg_class where relnamespace = 'public'::regnamespace",
    );
    assert.equal(rows.length, 0, args.join(' '));
  }
  const status = await run(['migrate', '--status', '--json'], { DATABASE_URL: empty.url });
  assert.equal(status.code, 0);
  assert.ok(JSON.parse(status.out).pending.length > 10);
  await client.end();
  assert.equal((await run(['migrate'], { DATABASE_URL: empty.url })).code, 0);
  assert.equal((await run(['audit', 'ledger'], { DATABASE_URL: empty.url })).code, 0);
  assert.deepEqual(await readdir(directory), []);
  await empty.drop();
});
