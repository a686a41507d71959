import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { until } from '../server/testing/harness/until.ts';
import { jsonOf, runCommand, runProcess } from '../server/testing/processes/command.ts';

/**
 * `guildhall serve` as a newcomer meets it: on the embedded database of a fresh DATA_DIR, with
 * commands beside it.
 */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-serve-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');
const BASE = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' };

/** Starts a server, not in a terminal, and waits for its announcement. */
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
    if (out.endsWith('}\n')) break;
  }
  return { child, out };
}

/** Starts a server in a terminal. What `out` holds are both of its outputs, as a person sees them. */
function serveInTerminal(env: Record<string, string>) {
  const command = `exec ${process.execPath} ${GUILDHALL} serve --no-work`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...BASE, SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const seen = { out: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    seen.out += chunk.replaceAll('\r', '');
  });
  return { child, seen };
}
const noTerminal =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') !== true &&
  'there is no `script` of util-linux to run a terminal';

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<number> {
  child.kill(signal);
  return (await once(child, 'exit'))[0];
}

const first = await serve({}, ['--build']);
const { url } = JSON.parse(first.out);
after(async () => {
  await stop(first.child);
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
});

/** A second server on the same data, with another address, and what it has changed. */
const people = () => jsonOf(['users', 'list'], { env: BASE });
const peopleBefore = await people();
const { child: second, out: announced } = await serve({ PUBLIC_URL: 'http://nas:3000' }, [
  '--json',
]);
const peopleAfter = await people();
const secondEnded = await stop(second, 'SIGTERM');

test('a first start that is not in a terminal prints one line of JSON, like those of the log, without a key', () => {
  const { level, time, msg, link, ...rest } = JSON.parse(first.out);
  assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.deepEqual([level, msg], [30, `Guildhall is running at ${url}`]);
  assert.ok(time <= Date.now());
  assert.match(link, /^http:\S+\/links\/[\w-]{43}$/);
  assert.deepEqual(rest, { url, docs: `${url}/docs`, data: dataDir, billing: 'sandbox' });
  assert.equal(first.out.indexOf('\n'), first.out.length - 1);
  assert.doesNotMatch(first.out, /gld_/);
});

test('serve --build serves the dashboard of the sources', async () => {
  const page = await fetch(url);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<div id="root">/);
});

test('serve --json announces one JSON document', () => {
  assert.deepEqual(Object.keys(JSON.parse(announced)), ['url', 'docs', 'data', 'billing', 'link']);
});

test('a second server on the same data loads no other demo; SIGTERM ends it with 0', () => {
  assert.deepEqual(peopleAfter, peopleBefore);
  assert.equal(secondEnded, 0);
});

test('every start of the demo shows a link that signs its owner in; the earlier one works no more', async () => {
  const linkOf = (out: string): string => JSON.parse(out).link;
  const open = (link: string) =>
    fetch(`${url}/auth/links/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: link.split('/links/')[1] }),
    });
  assert.match(linkOf(announced), /^http:\/\/nas:3000\/links\/[\w-]{43}$/);
  assert.ok(linkOf(first.out).startsWith(`${url}/links/`), first.out);
  assert.equal((await open(linkOf(first.out))).status, 404);
  const looked = (await (await open(linkOf(announced))).json()) as object;
  assert.deepEqual(looked, {
    purpose: 'sign_in',
    password: 'optional',
    second_factor: 'unknown',
    email: 'ada@example.com',
  });
});

test('a link that is made beside a server has the address of the server that started last, or PUBLIC_URL', async () => {
  const link = async (env = {}) =>
    (await jsonOf(['users', 'link', 'bob@example.com'], { env: { ...BASE, ...env } })).link;
  assert.match(await link(), /^http:\/\/nas:3000\/links\//);
  assert.match(await link({ PUBLIC_URL: 'https://other.example' }), /^https:\/\/other\.example\//);
});

test('beside a server, audit ledger says that the ledger holds, in words and in JSON', async () => {
  const { code, out } = await runCommand(['audit', 'ledger'], { env: BASE });
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
  assert.match((await runCommand(['migrate'], { env: BASE })).out, /^Nothing to do/);
});

test('on an empty PostgreSQL of one’s own no demo is loaded; the login is not shown; SIGINT ends it with 0', async () => {
  const clone = await cloneDatabase();
  const address = new URL(clone.url);
  address.password ||= 'not-asked-for-here';
  const { child, out } = await serve({ DATABASE_URL: address.href });
  assert.match(JSON.parse(out).data, /^PostgreSQL database /);
  assert.ok(!out.includes(address.password));
  assert.equal(await stop(child), 0);
  assert.deepEqual(await jsonOf(['keys', 'list'], { env: { DATABASE_URL: clone.url } }), []);
  await clone.drop();
});

test('in a terminal, on a PostgreSQL of one’s own, it says how to load an empty database, and then how to create a key', {
  skip: noTerminal,
}, async () => {
  const clone = await cloneDatabase();
  const env = { DATABASE_URL: clone.url };
  const announcedTo = async () => {
    const { child, seen } = serveInTerminal(env);
    await until('it serves', () => /to stop the server\.\n/.test(seen.out), 60_000);
    child.stdin.write('\x03');
    await once(child, 'exit');
    return seen.out;
  };
  const load = 'npm run guildhall -- import demo/world.json\n';
  const create = 'To create an API key: npm run guildhall -- keys create --help\n';
  const empty = await announcedTo();
  assert.deepEqual([empty.includes(load), empty.includes(create)], [true, false], empty);
  await jsonOf(['users', 'create', '--email', 'eve@example.com', '--name', 'Eve'], { env });
  const used = await announcedTo();
  assert.deepEqual([used.includes(load), used.includes(create)], [false, true], used);
  await clone.drop();
});

test('models that cost real money and no decision who pays: the start ends and names the choices', async () => {
  const file = join(directory, 'catalog.json');
  const model = { id: 'm', name: 'M', agent: 'a', prices: { input: '1.00', output: '1.00' } };
  const agents = [{ id: 'a', command: 'a', reports_usage: true }];
  await writeFile(file, JSON.stringify({ models: [model], agents }));
  const env = { ...BASE, DATA_DIR: join(directory, 'none'), GUILDHALL_CATALOG: file };
  const { code, err } = await runCommand(['serve'], { env });
  assert.equal(code, 2);
  assert.match(err, /BILLING must be set, .*stripe.*credits.*off/);
});

test('a DATA_DIR that is a link to nothing is refused in a sentence, and nothing is made', async () => {
  const link = join(directory, 'link');
  await symlink(join(directory, 'nothing'), link);
  const { code, err } = await runProcess(['serve'], { env: { ...BASE, DATA_DIR: link } });
  assert.equal(code, 1);
  assert.match(err, /^DATA_DIR must be a folder: \/\S+\/link is a link that leads to none .*\n$/);
  assert.equal(existsSync(join(directory, 'nothing')), false);
});

test('a port that is in use, or a HOST that is not found, is reported in one sentence; that start voids no test money, and leaves how work is paid for', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port: metrics } = other.address() as { port: number };
  const audit = () => jsonOf(['audit', 'ledger'], { env: BASE });
  const before = await audit();
  const port = new URL(url).port;
  for (const [taken, sentence] of [
    [
      { PORT: port },
      `Port ${port} is in use: stop the other server or choose another PORT; PORT=0 picks a free one.`,
    ],
    [
      { HOST: 'none.invalid' },
      /^HOST must be an address of this machine, .*: none\.invalid cannot be found \(E[A-Z_]+\)\.\n$/,
    ],
    [
      { METRICS_PORT: String(metrics) },
      `Metrics cannot be served on 127.0.0.1, port ${metrics} (EADDRINUSE): choose another METRICS_PORT or METRICS_HOST.`,
    ],
  ] as const) {
    const env = { ...BASE, BILLING: 'off', ...taken };
    const { code, err } = await runProcess(['serve'], { env });
    assert.equal(code, 1);
    if (typeof sentence === 'string') assert.equal(err, `${sentence}\n`);
    else assert.match(err, sentence);
    assert.deepEqual(await audit(), before);
  }
});

test('in a terminal it prints for people: the link first, addresses of PUBLIC_URL, the log as text; Ctrl-C ends it with 0', {
  skip: noTerminal,
}, async () => {
  const { child, seen } = serveInTerminal({ PUBLIC_URL: 'http://nas:3000', LOG_LEVEL: 'info' });
  await until('it serves', () => /to stop the server\.\n/.test(seen.out), 60_000);
  const [, at = ''] = /^Guildhall is running at http:\/\/nas:3000, and listens at (\S+)$/m.exec(
    seen.out,
  ) as RegExpExecArray;
  assert.equal((await fetch(`${at}/healthz`)).status, 200);
  assert.match(
    seen.out,
    /^Sign in as ada@example\.com.*: http:\/\/nas:3000\/links\/[\w-]{43}\n\n/m,
  );
  assert.match(seen.out, /^Billing: sandbox: test cards add funds/m);
  assert.match(seen.out, /^The same by its API, .*: npm run guildhall -- first-steps$/m);
  assert.ok(seen.out.includes(`Data: ${dataDir}`), seen.out);
  await until('the log', () => /^\d\d:\d\d:\d\d GET \/healthz 200 \d+ ms$/m.test(seen.out), 60_000);
  assert.doesNotMatch(seen.out, /^\{|gld_|curl/m);
  assert.ok(seen.out.split('\n').length < 20, seen.out);
  child.stdin.write('\x03');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
