import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bindFolder } from '../server/code/repositories/repository-folder.ts';
import { connectSingle } from '../server/db/database/single-connection.ts';
import { sql } from '../server/db/sql.ts';
import { startProvider } from '../server/testing/fakes/model-provider/provider.ts';
import { environmentOf, startGithub } from '../server/testing/fixtures/code/github.ts';
import { SERVER_SECRET } from '../server/testing/fixtures/erp/odoo-connections.ts';
import { temporaryFolder } from '../server/testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { runCommand } from '../server/testing/processes/command.ts';

const { databaseUrl, db, fixtures, owner } = await startHarness({ own: true });
const folder = await temporaryFolder();
const right = {
  DATABASE_URL: databaseUrl,
  DATA_DIR: join(folder, 'data'),
  SERVER_SECRET,
  PORT: '0',
};

interface Check {
  name: string;
  level: string;
  text: string;
}

async function doctor(env: Record<string, string>, ...args: string[]) {
  const { code, out, err } = await runCommand(['doctor', '--json', ...args], { env });
  assert.equal(err, '');
  const { checks } = JSON.parse(out) as { checks: Check[] };
  return {
    code,
    of: (name: string) => checks.filter((check) => check.name === name),
    failures: checks.filter(({ level }) => level === 'failure').map(({ name }) => name),
  };
}

test('0: nothing is wrong here, and nothing is left behind', async () => {
  const before = (await readdir(tmpdir())).filter((name) => /doctor/.test(name));
  const { code, of, failures } = await doctor(right);
  assert.deepEqual({ code, failures }, { code: 0, failures: [] });
  assert.match(of('database')[0]?.text ?? '', /^PostgreSQL \d.*, migrated$/);
  for (const name of ['clock', 'Git', 'Node.js', 'SERVER_SECRET'])
    assert.ok(of(name).length === 1, name);
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(
    (await readdir(tmpdir())).filter((name) => /doctor/.test(name)),
    before,
  );
  const { out } = await runCommand(['doctor'], { env: right });
  assert.match(out, /^ok {7}Git: \d/m);
});

test('1: where the repositories are not those of the database, because their volume is away or DATA_DIR is another', async () => {
  const DATA_DIR = await temporaryFolder();
  const repositories = join(DATA_DIR, 'repositories');
  await mkdir(repositories);
  await bindFolder(db, repositories);
  const at = (dataDir: string) => doctor({ ...right, DATA_DIR: dataDir });
  assert.deepEqual((await at(DATA_DIR)).failures, []);
  const away = `${repositories}.away`;
  await rename(repositories, away);
  for (const there of [false, true]) {
    if (there) await mkdir(repositories);
    const { code, failures, of } = await at(DATA_DIR);
    assert.deepEqual([code, failures], [1, ['repositories']]);
    assert.match(of('repositories').at(-1)?.text ?? '', /volume is mounted/);
  }
  // A server of another machine may have no part in them.
  await owner(sql`update repository_folder set place = 'elsewhere:' || place`);
  const elsewhere = await at(DATA_DIR);
  assert.deepEqual([elsewhere.code, elsewhere.failures], [0, []]);
  assert.equal(elsewhere.of('repositories').at(-1)?.level, 'warning');
  await owner(sql`delete from repository_folder`);
});

test('1: with a broken configuration and no database, everything else is still looked at', async () => {
  const { code, of, failures } = await doctor({
    DATABASE_URL: 'postgres://me:very-secret@127.0.0.1:1/none',
    DATA_DIR: join(folder, 'data'),
    METRICS_PORT: '99999',
    RATE_LIMIT_PER_MINUT: '5',
    SMTP_URL: 'smtp://127.0.0.1:1?tls=off',
    PORT: '0',
  });
  assert.equal(code, 1);
  assert.deepEqual(failures, ['settings', 'settings', 'database', 'mail']);
  assert.match(
    of('settings')
      .map(({ text }) => text)
      .join('\n'),
    /did you mean RATE_LIMIT_PER_MINUTE/,
  );
  assert.match(of('database')[0]?.text ?? '', /ECONNREFUSED.*check that PostgreSQL runs/);
  assert.deepEqual(await readdir(folder), []);
});

const MARK = '{"id":"x","state":"writing","places":"x"}';

test('the wrong SERVER_SECRET, a folder that is none, a port of another program, a place that is half restored', async () => {
  const person = await fixtures.user();
  const project = await fixtures.project({ userId: person.id });
  await fixtures.odooConnection(project, {});
  const other = await doctor({
    ...right,
    SERVER_SECRET: 'another secret, long enough for a server',
  });
  assert.deepEqual([other.code, other.failures], [1, ['SERVER_SECRET']]);
  assert.match(other.of('SERVER_SECRET')[0]?.text ?? '', /another one sealed 1 of odoo_connection/);
  assert.deepEqual((await doctor(right)).failures, []);

  const file = join(folder, 'file');
  await writeFile(file, '');
  assert.deepEqual((await doctor({ ...right, DATA_DIR: file })).failures.slice(0, 1), ['DATA_DIR']);

  const server = createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const taken = await doctor({ ...right, PORT: String(port) });
  assert.match(taken.of(`port ${port}`)[0]?.text ?? '', /another program uses it/);

  const half = join(folder, 'half');
  await mkdir(half);
  await chmod(half, 0o700);
  await mkdir(join(half, 'repositories'));
  await writeFile(join(half, 'repositories/restore-unfinished'), MARK);
  const restored = await doctor({ ...right, DATA_DIR: half });
  assert.match(
    restored.of('database')[0]?.text ?? '',
    /half restored: run guildhall restore again/,
  );
  // No server starts there either.
  await writeFile(join(half, 'repositories/restore-unfinished'), '');
  const unknown = await doctor({ ...right, DATA_DIR: half });
  assert.equal(unknown.code, 1);
  assert.match(unknown.of('database')[0]?.text ?? '', /no restore has written it/);
  assert.deepEqual(await readdir(join(half, 'repositories')), ['restore-unfinished']);
  assert.equal((await db.one<{ one: number }>(sql`select 1 as one`)).one, 1);
});

test('1: a database that takes no writes, and one whose encoding is another', async () => {
  const name = new URL(databaseUrl).pathname.slice(1);
  const admin = await connectSingle(databaseUrl, {});
  const other = `${name}_ascii`;
  try {
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    const { code, failures, of } = await doctor(right);
    assert.deepEqual([code, failures], [1, ['database']]);
    assert.match(of('database').at(-1)?.text ?? '', /takes no writes: turn default_transaction_/);
    const started = await runCommand(['serve'], { env: right });
    assert.equal(started.code, 1);
    assert.match(started.err, /takes no writes \(.*\): DATABASE_URL must lead to the primary/);
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    assert.deepEqual((await doctor(right)).failures, []);

    await admin.query(`create database ${other} encoding 'SQL_ASCII' locale_provider libc
      lc_collate 'C' lc_ctype 'C' template template0`);
    const DATABASE_URL = Object.assign(new URL(databaseUrl), { pathname: other }).href;
    const ascii = await doctor({ ...right, DATABASE_URL });
    assert.deepEqual([ascii.code, ascii.failures], [1, ['database']]);
    const said = /must be UTF8, and is SQL_ASCII: drop it, and create it with "encoding 'UTF8'/;
    assert.match(ascii.of('database')[0]?.text ?? '', said);
    const migrated = await runCommand(['migrate'], { env: { ...right, DATABASE_URL } });
    assert.equal(migrated.code, 1);
    assert.match(migrated.err, said);
    const left = await connectSingle(DATABASE_URL, {});
    const { rows } = await left.query(
      `select from pg_class where relnamespace = 'public'::regnamespace`,
    );
    await left.end();
    assert.equal(rows.length, 0);
  } finally {
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    await admin.query(`drop database if exists ${other}`);
    await admin.end();
  }
});

test('1: a database that a later version has migrated, for doctor and for migrate --status', async () => {
  const admin = await connectSingle(databaseUrl, {});
  const NEWER = /newer than this Guildhall: 0999-later\.sql was applied to it/;
  await admin.query(`insert into schema_migration (name, sha256) values ('0999-later.sql', '')`);
  try {
    const { code, failures, of } = await doctor(right);
    assert.deepEqual([code, failures], [1, ['database']]);
    assert.match(of('database')[0]?.text ?? '', NEWER);
    const status = await runCommand(['migrate', '--status'], { env: right });
    assert.deepEqual([status.code, status.out], [1, '']);
    assert.match(status.err, NEWER);
  } finally {
    await admin.query(`delete from schema_migration where name = '0999-later.sql'`);
    await admin.end();
  }
});

test('repositories of another database are a warning, before a worker binds this one to them', async () => {
  const DATA_DIR = await temporaryFolder();
  const repositories = join(DATA_DIR, 'repositories');
  await mkdir(repositories);
  await writeFile(join(repositories, 'guildhall-id'), `${randomUUID()}\n`);
  const { code, failures, of } = await doctor({ ...right, DATA_DIR });
  assert.deepEqual([code, failures], [0, []]);
  const last = of('repositories').at(-1);
  assert.equal(last?.level, 'warning');
  assert.match(last?.text ?? '', /repositories of another one: check DATABASE_URL/);
  assert.deepEqual(await db.many(sql`select id from repository_folder`), []);
});

test('1: a stored secret that is empty, and a folder of pods that is none', async () => {
  const DATA_DIR = await temporaryFolder();
  await writeFile(join(DATA_DIR, 'server-secret'), '');
  await writeFile(join(DATA_DIR, 'pods'), '');
  const { SERVER_SECRET: _, ...unset } = right;
  const { code, failures, of } = await doctor({ ...unset, DATA_DIR });
  assert.deepEqual([code, failures], [1, ['pods', 'SERVER_SECRET']]);
  assert.match(of('SERVER_SECRET')[0]?.text ?? '', /server-secret must have .* and is empty/);
  assert.deepEqual((await readdir(DATA_DIR)).sort(), ['pods', 'server-secret']);
});

test('1: a folder for temporary files that is not there', async (t) => {
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = join(folder, 'none');
  const { code, failures, of } = await doctor(right);
  assert.deepEqual([code, failures], [1, ['TMPDIR', 'sandbox']]);
  assert.match(of('TMPDIR')[0]?.text ?? '', /^TMPDIR must be a folder .*\/none is none \(ENOENT\)/);
});

test('links: one to a folder is that folder, one to nothing is a failure', async () => {
  const data = join(folder, 'elsewhere');
  await mkdir(data);
  await symlink(data, join(folder, 'link'));
  await symlink(join(folder, 'nothing'), join(folder, 'broken'));
  assert.deepEqual((await doctor({ ...right, DATA_DIR: join(folder, 'link') })).failures, []);
  const { code, of } = await doctor({ ...right, DATA_DIR: join(folder, 'broken') });
  assert.equal(code, 1);
  assert.match(of('DATA_DIR')[0]?.text ?? '', /is a link to what is not there/);
});

test('a HOST that is no name of a machine is a sentence', async () => {
  for (const HOST of ['http://[', 'a b', '[]']) {
    const { code, failures } = await doctor({ ...right, HOST });
    assert.deepEqual([code, failures.includes('settings')], [1, true], HOST);
  }
});

test('a database that takes the login and then says nothing more ends the look at it, not the others', async () => {
  const { hostname, port } = new URL(databaseUrl);
  const silent = createTcp((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('data', (bytes) => {
      if (!bytes.includes('default_transaction_read_only')) upstream.write(bytes);
    });
    upstream.pipe(client);
    for (const one of [client, upstream]) one.on('error', () => {});
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  after(() => silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const url = new URL(databaseUrl);
  url.port = String((silent.address() as AddressInfo).port);
  const { code, of, failures } = await doctor({
    ...right,
    DATABASE_URL: url.href,
    DATABASE_STATEMENT_TIMEOUT_MS: '200',
  });
  assert.deepEqual([code, failures], [1, ['database']]);
  assert.match(of('database')[0]?.text ?? '', /does not answer within 5\.4 s|no answer/);
  assert.equal(of('Git').length, 1);
});

test('a replica is a standby, and one that is not there is a failure', async () => {
  const own = new URL(databaseUrl);
  own.hostname = 'localhost';
  const nowhere = Object.assign(new URL(databaseUrl), { port: '1' });
  const { code, of } = await doctor({
    ...right,
    DATABASE_REPLICA_URLS: `${own.href},${nowhere.href}`,
  });
  assert.equal(code, 1);
  assert.match(of(`replica ${own.host}`)[0]?.text ?? '', /^it is no standby/);
  assert.match(of(`replica ${nowhere.host}`)[0]?.text ?? '', /ECONNREFUSED/);
});

test('2: wrong usage', async () => {
  const { code, out } = await runCommand(['doctor', '--everything'], { env: right });
  assert.deepEqual({ code, out }, { code: 2, out: '' });
});

test('--online asks with the keys; only then', async () => {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    answer
      .writeHead(request.headers.authorization === 'Bearer sk_test_right' ? 200 : 401)
      .end('{}');
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...right, STRIPE_API_BASE: at, STRIPE_SECRET_KEY: 'sk_test_right' };
  await doctor(env);
  assert.deepEqual(asked, []);
  const { of } = await doctor(env, '--online');
  assert.deepEqual(
    of('Stripe').map(({ level }) => level),
    ['ok'],
  );
  assert.deepEqual(asked, ['/v1/balance Bearer sk_test_right']);
  const wrong = await doctor({ ...env, STRIPE_SECRET_KEY: 'sk_test_wrong' }, '--online');
  assert.deepEqual([wrong.code, wrong.of('Stripe').map(({ level }) => level)], [1, ['failure']]);
});

test('--online asks each provider of models where its API has the list, with its key; and GitHub as the App', async () => {
  const asked: string[] = [];
  const provider = await startProvider({
    reply: () => ({ text: '' }),
    handle: ({ path, headers }, answer) => {
      const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'];
      asked.push(`${path} ${key}`);
      answer.writeHead(String(key).endsWith('right') ? 200 : 401).end('{}');
      return true;
    },
  });
  after(provider.close);
  const github = await startGithub();
  const prices = { input: '1.00', output: '1.00' };
  const catalog = join(folder, 'catalog.json');
  const apis = { openai: '/v1', anthropic: '', gemini: '' };
  const content = {
    providers: Object.entries(apis).map(([api, path]) => ({
      id: api,
      api,
      base_url: `${provider.url}${path}`,
      key: { env: `${api.toUpperCase()}_KEY` },
    })),
    agents: [{ id: 'mine', command: 'mine', args: ['{base_url}'] }],
    models: Object.keys(apis).map((api) => ({
      id: api,
      name: api,
      agent: 'mine',
      provider: api,
      model: api,
      prices,
    })),
  };
  await writeFile(catalog, JSON.stringify(content));
  const env = {
    ...right,
    ...environmentOf(github),
    BILLING: 'off',
    GUILDHALL_CATALOG: catalog,
    OPENAI_KEY: 'right',
    ANTHROPIC_KEY: 'right',
    GEMINI_KEY: 'right',
  };
  const { of, failures } = await doctor(env, '--online');
  assert.deepEqual(failures, []);
  for (const api of Object.keys(apis)) assert.equal(of(`models of ${api}`)[0]?.level, 'ok', api);
  assert.equal(of('GitHub')[0]?.level, 'ok');
  assert.deepEqual(asked.sort(), [
    '/v1/models Bearer right',
    '/v1/models right',
    '/v1beta/models right',
  ]);
  const wrong = await doctor({ ...env, OPENAI_KEY: 'revoked', GITHUB_APP_ID: '1' }, '--online');
  assert.deepEqual(wrong.failures.sort(), ['GitHub', 'models of openai']);
});
