import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import pg from 'pg';
import { removeOutside } from '../api/db/embedded/cluster-location.ts';
import { cloneDatabase } from '../api/testing/database.ts';

/** The real command, in processes of its own: beside a server on the embedded database of a fresh DATA_DIR. */

const CLI = join(import.meta.dirname, 'guildhall.ts');
const DEMO = join(import.meta.dirname, '../demo/world.json');
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const directory = await mkdtemp(join(tmpdir(), 'guildhall-cli-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');

type Env = Record<string, string>;
type Outcome = { code: number | null; out: string; err: string };

const environment = (env: Env): Env => {
  return {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  };
};

/** Runs a command to its end. */
async function run(
  args: string[],
  { env = {}, input = '' }: { env?: Env; input?: string } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [CLI, ...args], { env: environment(env) });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.doesNotMatch(err, /^ {4}at /m, 'a stack trace');
  return { code, out, err };
}

/** Starts a server and waits for what it announces. */
async function serve(
  env: Env = {},
  args: string[] = [],
): Promise<{ child: ChildProcess; out: string }> {
  const child = spawn(process.execPath, [CLI, 'serve', ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (/to stop the server|\n}\n/.test(out)) break;
  }
  return { child, out };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<number> {
  child.kill(signal);
  return (await once(child, 'exit'))[0];
}

const json = async (args: string[], env: Env = {}) => {
  const { code, out, err } = await run([...args, '--json'], { env });
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  return JSON.parse(out);
};

const first = await serve();
const url = /running at (\S+)/.exec(first.out)?.[1] ?? '';
after(async () => {
  await stop(first.child);
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
});

test('a first start shows its real port, a key, and lines that work when pasted', async () => {
  assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.match(first.out, /^ {2}gld_\w{38}$/m);
  const lines = [
    ...first.out.matchAll(/^ {2}curl (?:-X (POST) )?-H 'Authorization: (.*)' (\S+)$/gm),
  ];
  assert.equal(lines.length, 3);
  const answers = [];
  for (const [, method = 'GET', authorization = '', address = ''] of lines) {
    const answer = await fetch(address, { method, headers: { authorization } });
    assert.equal(answer.status, 200, address);
    answers.push(await answer.json());
  }
  const [people, invitations, approval] = answers as [
    unknown[],
    unknown[],
    { newly_approved: boolean },
  ];
  assert.deepEqual([people.length, invitations.length, approval.newly_approved], [6, 3, true]);
});

test('a second server on the same data shows how to mint a key, not the demo again; SIGTERM ends it with 0', async () => {
  const { child, out } = await serve();
  assert.match(out, /keys create --email ada@example\.com --name laptop/);
  assert.doesNotMatch(out, /gld_/);
  assert.ok(out.includes(dataDir));
  assert.equal(await stop(child, 'SIGTERM'), 0);
});

test('on an empty PostgreSQL of one’s own no demo is loaded; the login is not shown; SIGINT ends it with 0', async () => {
  const clone = await cloneDatabase();
  const address = new URL(clone.url);
  address.password ||= 'not-asked-for-here';
  const { child, out } = await serve({ DATABASE_URL: address.href });
  assert.match(out, /database is empty[\s\S]*npm run guildhall -- import demo\/world\.json/);
  assert.ok(!out.includes(address.password));
  assert.equal(await stop(child), 0);
  assert.deepEqual(await json(['keys', 'list'], { DATABASE_URL: clone.url }), []);
  await clone.drop();
});

test('serve --json announces one JSON object', async () => {
  const { child, out } = await serve({}, ['--json']);
  assert.deepEqual(Object.keys(JSON.parse(out)), ['url', 'docs', 'data']);
  await stop(child);
});

test('a port in use is told in a sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, err } = await run(['serve'], { env: { PORT: String(port) } });
  other.close();
  assert.deepEqual(
    { code, err },
    {
      code: 1,
      err: `Port ${port} is in use: stop the other server or choose another PORT; PORT=0 picks a free one.\n`,
    },
  );
});

test('a key that is created opens the running server until it is revoked', async () => {
  const made = await json([
    'keys',
    'create',
    '--email',
    'BOB@example.com',
    '--name',
    ' night job ',
    '--expires',
    '90d',
  ]);
  assert.deepEqual(Object.keys(made), ['id', 'key', 'email', 'name', 'expires_at']);
  const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90);
  const ask = () =>
    fetch(`${url}/api/projects/${made.id}/people`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
  assert.equal((await ask()).status, 404);

  const [listed] = await json(['keys', 'list', '--email', 'bob@example.com']);
  assert.deepEqual(
    [listed.id, listed.name, listed.email],
    [made.id, 'night job', 'bob@example.com'],
  );
  assert.ok(!JSON.stringify(listed).includes(made.key));

  assert.deepEqual(await json(['keys', 'revoke', made.id]), { id: made.id, revoked: true });
  assert.equal((await ask()).status, 401);
  const again = await run(['keys', 'revoke', made.id]);
  assert.equal(again.code, 1);
  assert.match(again.err, /unknown, or has already been revoked/);
  const { out } = await run(['keys', 'list']);
  assert.match(out, new RegExp(`^${made.id} +bob@example.com +night job +revoked`, 'm'));
  // Bob's other key was never used.
  assert.match(out, /^\S+ +bob@example\.com +desk +active +\S+ \S+ +- +-$/m);
});

const refusedKeys: Record<string, [string[], RegExp]> = {
  'an address that nobody has': [
    ['create', '--email', 'no@x.y', '--name', 'n'],
    /No user has the email address no@x\.y/,
  ],
  'an expiry in the past': [
    ['create', '--email', 'a', '--name', 'n', '--expires', '2020-01-01'],
    /in the future/,
  ],
  'an expiry of no form': [
    ['create', '--email', 'a', '--name', 'n', '--expires', 'soon'],
    /such as 90d/,
  ],
  'a name of white space': [['create', '--email', 'a', '--name', ' '], /1 to 100 characters/],
  'a name that holds an invisible character': [
    ['create', '--email', 'a', '--name', 'laptop\u200b'],
    /must not contain U\+200B \(character 7\), which is invisible or not supported: remove it\.$/m,
  ],
  'an id of no form': [['revoke', 'laptop'], /is not the id of a key/],
};

for (const [what, [args, reason]] of Object.entries(refusedKeys)) {
  test(`keys: ${what} is refused in a sentence`, async () => {
    const { code, out, err } = await run(['keys', ...args]);
    assert.deepEqual({ code, out }, { code: 1, out: '' });
    assert.match(err, reason);
  });
}

test('import prints one JSON object of ids, from a file and from standard input', async () => {
  const file = join(directory, 'one.json');
  await writeFile(
    file,
    `\uFEFF${JSON.stringify({ users: [{ handle: 'x', email: 'one@x.com' }] })}`,
  );
  const fromFile = await run(['import', file]);
  assert.deepEqual([fromFile.code, fromFile.err], [0, '']);
  assert.match(JSON.parse(fromFile.out).users.x.id, new RegExp(`^${UUID}$`));
  const input = JSON.stringify({ users: [{ handle: 'y', email: 'two@x.com' }] });
  assert.deepEqual(Object.keys(JSON.parse((await run(['import', '-'], { input })).out).users), [
    'y',
  ]);
});

test('a file with one mistake imports nothing and names the JSON pointer', async () => {
  const clone = await cloneDatabase();
  const world = JSON.parse(await readFile(DEMO, 'utf8'));
  world.organizations[1].members[2].user = 'nobody';
  const env = { DATABASE_URL: clone.url };
  const { code, out, err } = await run(['import', '-'], { env, input: JSON.stringify(world) });
  assert.deepEqual({ code, out }, { code: 1, out: '' });
  assert.match(
    err,
    /nothing was imported:\n {2}\/organizations\/1\/members\/2\/user: "nobody" is not a user/,
  );
  const client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  const { rows } = await client.query(
    'select (select count(*) from app_user) + (select count(*) from project) as rows',
  );
  await client.end();
  assert.equal(rows[0].rows, '0');
  await clone.drop();
});

test('a file that is not there or not JSON is refused in a sentence', async () => {
  assert.match(
    (await run(['import', '/nowhere.json'])).err,
    /^\/nowhere\.json cannot be read \(ENOENT\)/,
  );
  const { code, err } = await run(['import', '-', '--json'], { input: '{"users":' });
  assert.equal(code, 1);
  assert.match(JSON.parse(err).error, /^Standard input is not JSON/);
});

test('audit ledger says that the ledger holds, in words and in JSON', async () => {
  const { code, out } = await run(['audit', 'ledger']);
  assert.equal(code, 0);
  assert.match(out, /^customer balances +220\.845678 USD$/m);
  assert.match(out, /The ledger holds\.\n$/);
  const found = await json(['audit', 'ledger']);
  assert.deepEqual([found.holds, found.violations, found.processor_clearing], [true, [], '0.00']);
});

test('audit ledger exits with 1 and says where when a balance was changed by hand', async () => {
  const clone = await cloneDatabase();
  const env = { DATABASE_URL: clone.url };
  await run(['import', DEMO], { env });
  const client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  const change =
    "update billing_account set balance = balance + 1 where kind = 'workspace' and balance = 120000000";
  await client.query(`set session_replication_role = replica; ${change}`);
  await client.end();
  const { code, out } = await run(['audit', 'ledger'], { env });
  assert.equal(code, 1);
  assert.match(out, new RegExp(`balance_is_sum: account ${UUID}: the balance is 120\\.000001 USD`));
  await clone.drop();
});

test('migrate says what is missing, applies it, and has nothing to do the second time', async () => {
  assert.deepEqual(await json(['migrate', '--status']), { pending: [] });
  const { applied, current } = await json(['migrate']);
  assert.deepEqual(applied, []);
  assert.match(current, /^\d{4}-.*\.sql$/);
  assert.match((await run(['migrate'])).out, /^Nothing to do/);
});

test('--help tells of every command, and needs no valid configuration', async () => {
  const { code, out, err } = await run(['--help'], { env: { PORT: 'x' } });
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  const names = ['serve', 'import', 'migrate', 'keys', 'audit'];
  for (const name of names) assert.match(out, new RegExp(`^ {2}${name} `, 'm'));
  const helps = await Promise.all(names.map((name) => run([name, '--help'])));
  assert.deepEqual(
    helps.map((help) => help.code),
    [0, 0, 0, 0, 0],
  );
});

test('no command, an unknown one, an unknown option and a missing one exit with 2', async () => {
  assert.match((await run([])).err, /^Usage: guildhall/);
  for (const args of [[], ['nonsense'], ['serve', '--fast'], ['import'], ['keys', 'create']]) {
    const { code, out, err } = await run(args);
    assert.deepEqual([code, out, err.length > 0], [2, '', true], args.join(' '));
  }
});

test('a wrong configuration exits with 2 and lists every fault, as text and as JSON', async () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', TOP_UP_MIN: '-1' };
  const { code, out, err } = await run(['serve'], { env });
  assert.deepEqual({ code, out }, { code: 2, out: '' });
  const asJson = await run(['serve', '--json'], { env });
  for (const name of Object.keys(env)) {
    assert.match(err, new RegExp(`^ {2}${name} `, 'm'));
    assert.ok(JSON.parse(asJson.err).error.includes(name));
  }
});

test('a database that cannot be reached is told in a sentence, without its password', async () => {
  const { code, err } = await run(['keys', 'list'], {
    env: { DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x' },
  });
  assert.equal(code, 1);
  assert.match(
    err,
    /^PostgreSQL cannot be reached \(.*\): check that it is running, and check DATABASE_URL\.\n$/,
  );
  assert.doesNotMatch(err, /hidden/);
});
