import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { jsonOf, runProcess } from '../server/testing/command.ts';
import { cloneDatabase } from '../server/testing/database.ts';
import { GUILDHALL } from '../server/testing/serve.ts';

/**
 * `guildhall serve` as a newcomer meets it: on the embedded database of a fresh DATA_DIR, with
 * commands beside it.
 */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-serve-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');
const BASE = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' };

/** Starts a server and waits for its announcement. */
async function serve(
  env: Record<string, string> = {},
  args: string[] = [],
): Promise<{ child: ChildProcess; out: string }> {
  const child = spawn(process.execPath, [GUILDHALL, 'serve', '--no-work', ...args], {
    env: { ...BASE, ...env },
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

const first = await serve();
const url = /running at (\S+)/.exec(first.out)?.[1] ?? '';
after(async () => {
  await stop(first.child);
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
});

test('a first start shows its real port and a key', () => {
  assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.match(first.out, /^ {2}export KEY=gld_\w{38} PROJECT=\S{36} WORKSPACE=\S{36}$/m);
});

test('every start of the demo shows a link first that signs its owner in; the earlier one works no more', async () => {
  const linkOf = (out: string) => /^Sign in as ada@example\.com.*: (\S+)\n/.exec(out)?.[1] ?? '';
  const open = (link: string) =>
    fetch(`${url}/auth/links/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: link.split('/links/')[1] }),
    });
  const { child, out } = await serve({ PUBLIC_URL: 'http://nas:3000' });
  assert.equal(await stop(child), 0);
  assert.match(linkOf(out), /^http:\/\/nas:3000\/links\/[\w-]{43}$/);
  assert.ok(linkOf(first.out).startsWith(`${url}/links/`), first.out);
  assert.equal((await open(linkOf(first.out))).status, 404);
  const looked = (await (await open(linkOf(out))).json()) as object;
  assert.deepEqual(looked, { purpose: 'sign_in', password: 'optional', email: 'ada@example.com' });
});

test('a second server on the same data shows how to mint a key, not the demo again; SIGTERM ends it with 0', async () => {
  const { child, out } = await serve();
  assert.match(out, /keys create --email ada@example\.com --name laptop/);
  assert.doesNotMatch(out, /gld_/);
  assert.ok(out.includes(dataDir));
  assert.equal(await stop(child, 'SIGTERM'), 0);
});

test('beside a server, audit ledger says that the ledger holds, in words and in JSON', async () => {
  const { code, out } = await runProcess(['audit', 'ledger'], { env: BASE });
  assert.equal(code, 0);
  assert.match(out, /^customer balances +220\.845678 USD$/m);
  assert.match(out, /The ledger holds\.\n$/);
  const found = await jsonOf(['audit', 'ledger'], { env: BASE });
  assert.deepEqual([found.holds, found.violations, found.processor_clearing], [true, [], '0.00']);
});

test('beside a server, migrate has nothing to do', async () => {
  assert.deepEqual(await jsonOf(['migrate', '--status'], { env: BASE }), { pending: [] });
  const { applied, current } = await jsonOf(['migrate'], { env: BASE });
  assert.deepEqual(applied, []);
  assert.match(current, /^\d{4}-.*\.sql$/);
  assert.match((await runProcess(['migrate'], { env: BASE })).out, /^Nothing to do/);
});

test('on an empty PostgreSQL of one’s own no demo is loaded; the login is not shown; SIGINT ends it with 0', async () => {
  const clone = await cloneDatabase();
  const address = new URL(clone.url);
  address.password ||= 'not-asked-for-here';
  const { child, out } = await serve({ DATABASE_URL: address.href });
  assert.match(out, /database is empty[\s\S]*npm run guildhall -- import demo\/world\.json/);
  assert.ok(!out.includes(address.password));
  assert.equal(await stop(child), 0);
  assert.deepEqual(await jsonOf(['keys', 'list'], { env: { DATABASE_URL: clone.url } }), []);
  await clone.drop();
});

test('serve --json announces one JSON object', async () => {
  const { child, out } = await serve({}, ['--json']);
  assert.deepEqual(Object.keys(JSON.parse(out)), ['url', 'docs', 'data', 'billing', 'link']);
  await stop(child);
});

test('the banner says how work is paid for', () => {
  assert.match(first.out, /^Billing: sandbox: test cards add funds/m);
});

test('models that cost real money and no decision who pays: the start ends and names the choices', async () => {
  const file = join(directory, 'catalog.json');
  const model = { id: 'm', name: 'M', agent: 'a', prices: { input: '1.00', output: '1.00' } };
  const agents = [{ id: 'a', command: 'a', reports_usage: true }];
  await writeFile(file, JSON.stringify({ models: [model], agents }));
  const env = { ...BASE, DATA_DIR: join(directory, 'none'), GUILDHALL_CATALOG: file };
  const { code, err } = await runProcess(['serve'], { env });
  assert.equal(code, 2);
  assert.match(err, /BILLING must be set, .*stripe.*credits.*off/);
});

test('a port that is in use is reported in one sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, err } = await runProcess(['serve'], { env: { ...BASE, PORT: String(port) } });
  other.close();
  assert.deepEqual(
    { code, err },
    {
      code: 1,
      err: `Port ${port} is in use: stop the other server or choose another PORT; PORT=0 picks a free one.\n`,
    },
  );
});

test('a start whose port is in use voids no test money, and leaves how work is paid for', async (t) => {
  const { port } = new URL(url);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port: metrics } = other.address() as { port: number };
  const audit = () => jsonOf(['audit', 'ledger'], { env: BASE });
  const before = await audit();
  for (const taken of [{ PORT: port }, { METRICS_PORT: String(metrics) }]) {
    const env = { ...BASE, BILLING: 'off', ...taken };
    assert.equal((await runProcess(['serve'], { env })).code, 1);
    assert.deepEqual(await audit(), before);
  }
});
