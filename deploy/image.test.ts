import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, openSync, readSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { serverSecret } from '../server/main/server-secret.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { type Anything, documents, instructions, project, ROOT, read, SETTINGS } from './files.ts';

const run = promisify(execFile);
const all = instructions();
const argumentsOf = (name: string) =>
  all.filter((one) => one.name === name).map(({ text }) => text);

const TAG = '"$REGISTRY/guildhall:$VERSION"';

interface Locked {
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
}

/** Programs and libraries of Linux, macOS and Windows. */
function isCompiled(file: string): boolean {
  const start = Buffer.alloc(4);
  const opened = openSync(file, 'r');
  readSync(opened, start);
  closeSync(opened);
  return /^(?:7f454c46|c[ef]faedfe|cafebabe|4d5a)/.test(start.toString('hex'));
}

/** Unlike a shell's, the build's `*` takes names that begin with a dot. */
const asRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${RegExp.escape(pattern).replaceAll('\\*\\*\\/', '(?:.*/)?').replaceAll('\\*', '[^/]*')}$`,
  );

/** Whether the build sees a file: the last line of .dockerignore that fits decides. */
function inContext(path: string): boolean {
  const lines = read('.dockerignore').split('\n');
  let seen = true;
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    const pattern = asRegExp(line.replace(/^!/, ''));
    const parents = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
    if (parents.some((parent) => pattern.test(parent))) seen = line.startsWith('!');
  }
  return seen;
}

test('Dockerfile: the Node that package.json pins in every stage, and no development, optional packages or scripts in the last one', () => {
  const stages = argumentsOf('FROM').map((from) => /(?:^| )(node:\S+)/.exec(from)?.[1]);
  assert.deepEqual(stages, Array(3).fill(`node:${project.dependencies.node}-slim`));
  const [install, everything = '', build, system = ''] = argumentsOf('RUN');
  assert.equal(argumentsOf('RUN').length, 4);
  assert.match(everything, /^npm ci --ignore-scripts /);
  assert.equal(build, 'node web/build.ts');
  assert.match(system, /apt-get install .*--no-install-recommends bubblewrap git /);
  for (const option of ['npm ci', '--ignore-scripts', '--omit=dev', '--omit=optional'])
    assert.ok(install?.includes(option), option);
});

test('Dockerfile: npm runs on the machine that builds, whatever processor an image is for, and nothing else does', () => {
  const builds = argumentsOf('FROM').map((from) => /^--platform=(\S+)/.exec(from)?.[1]);
  const own = `\${BUILDPLATFORM:-linux}`; // a builder without the variable needs a value
  assert.deepEqual(builds, [own, own, undefined]);
  const last = all.findLastIndex(({ name }) => name === 'FROM');
  assert.ok(
    !all.slice(last).some(({ name, text }) => name === 'RUN' && /\b(npm|node)\b/.test(text)),
  );
});

test('the documented command for both kinds of processors is the one that arm64.sh carries out', () => {
  const command = /`(docker buildx build [^`]+--push \.)`/.exec(read('docs/operations/install.md'));
  const documented = command?.[1]?.replaceAll('\n', ' ') ?? '';
  assert.match(documented, / --platform linux\/amd64,linux\/arm64 /);
  const carriedOut = documented.replace(/registry\.example\.com\/guildhall:\S+/, () => TAG);
  assert.ok(read('deploy/engine/arm64.sh').includes(`\n${carriedOut}\n`), carriedOut);
});

test('packages that are installed on the machine that builds run on amd64 and arm64', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  const kept = Object.entries(packages).filter(
    ([path, { dev, optional, link }]) =>
      path.includes('node_modules/') && path !== 'node_modules/node' && !(dev || optional || link),
  );
  assert.ok(kept.length > 200);
  for (const [path, { os, cpu, libc, hasInstallScript }] of kept) {
    assert.deepEqual([os, cpu, libc, hasInstallScript], Array(4).fill(undefined), path);
    const exclude = [`${path}/node_modules`];
    const files = globSync(`${path}/**/*`, { cwd: ROOT, withFileTypes: true, exclude });
    for (const { name, parentPath } of files.filter((one) => one.isFile())) {
      const file = join(parentPath, name);
      assert.ok(!/\.gyp$|\.node$/.test(name), file);
      if (!isCompiled(file)) continue;
      // Those of Bare, which Node.js never loads, are there for every kind.
      const kinds = ['linux-x64', 'linux-arm64'].map((kind) => join(parentPath, '..', kind, name));
      assert.ok(
        kinds.every((one) => existsSync(one) && isCompiled(one)),
        file,
      );
    }
  }
});

test('Dockerfile: the last user is a number and not root, and copies nothing to itself', () => {
  assert.deepEqual(argumentsOf('USER'), ['1000:1000']);
  assert.ok(!/--chown|--chmod/.test(argumentsOf('COPY').join()));
  assert.ok(
    all.findLastIndex(({ name }) => name === 'COPY') < all.findIndex(({ name }) => name === 'USER'),
  );
});

test('Dockerfile: no shell stands between a signal and the server, and its settings exist', () => {
  assert.deepEqual(JSON.parse(argumentsOf('ENTRYPOINT')[0] ?? ''), ['node', 'cli/guildhall.ts']);
  assert.deepEqual(JSON.parse(argumentsOf('CMD')[0] ?? ''), ['serve']);
  const env = Object.fromEntries(
    (argumentsOf('ENV')[0] ?? '').split(' ').map((pair) => pair.split('=')),
  );
  assert.deepEqual(env, { NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: '/data' });
  assert.equal(String(readConfig(env).port), argumentsOf('EXPOSE')[0]);
});

test('Dockerfile: the health check follows GET /healthz', async () => {
  const [, command = ''] = /CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK')[0] ?? '') ?? [];
  const [node, ...args] = JSON.parse(command) as string[];
  assert.equal(node, 'node');
  let status = 200;
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? status : 404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const check = () =>
    run(process.execPath, args, { env: { PORT: String(port) } }).then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
  assert.equal(await check(), 0);
  status = 503;
  assert.equal(await check(), 1);
  server.close();
  server.closeAllConnections();
  assert.equal(await check(), 1);
});

test('Dockerfile: the dashboard is built with the compiler settings that its own extend', () => {
  const build = all.findIndex(({ text }) => text === 'node web/build.ts');
  const before = all.slice(0, build).flatMap(({ text }) => text.split(' '));
  const [, path = ''] = /"extends": "\.\.\/(.+)"/.exec(read('web/tsconfig.json')) ?? [];
  assert.ok(before.includes(path) && inContext(path), path);
});

test('.dockerignore: nothing but the program gets into an image', () => {
  for (const path of [
    'LICENSE',
    'package.json',
    'package-lock.json',
    'server/main/main.ts',
    'cli/serve.ts',
    'demo/world.json',
    'client/src/index.ts',
    'web/src/main.tsx',
  ])
    assert.ok(inContext(path), path);
  for (const path of [
    '.env',
    '.git/config',
    '.guildhall/server-secret',
    'server/main/app.test.ts',
    'server/testing/fixtures/tenants.ts',
    'cli/guildhall.test.ts',
    'demo/demo.ts',
    'node_modules/pg/package.json',
    'client/node_modules/typescript/package.json',
    'web/dist/index.html',
    'web/test/browser.ts',
  ])
    assert.ok(!inContext(path), path);
});

test('what is copied into the image is the whole program', { timeout: 60_000 }, async () => {
  const image = await mkdtemp(join(tmpdir(), 'guildhall-image-'));
  try {
    for (const copy of argumentsOf('COPY').filter((text) => !text.includes('--from'))) {
      const [to = '', ...sources] = copy.split(' ').reverse();
      for (const from of sources)
        await cp(join(ROOT, from), join(image, to.endsWith('/') ? join(to, from) : to), {
          recursive: true,
          filter: (file) => inContext(relative(ROOT, file)),
        });
    }
    await symlink(join(ROOT, 'node_modules'), join(image, 'node_modules'));
    // All load on demand: the server, what carries out tasks, and the import of worlds.
    const parts = ['./server/main/main.ts', './server/main/work.ts', './cli/world/load.ts'];
    const load = `${parts.map((part) => `await import('${part}');`).join(' ')} process.exit(0)`;
    await run(process.execPath, ['--input-type=module', '--eval', load], { cwd: image, env: {} });
    const { stdout } = await run(process.execPath, ['cli/guildhall.ts', '--help'], {
      cwd: image,
      env: {},
    });
    assert.match(stdout, /serve/);
  } finally {
    await rm(image, { recursive: true });
  }
});

test('the program imports nothing that only development or the embedded PostgreSQL has', async () => {
  const files = globSync('{server,cli}/**/*.ts', { cwd: ROOT }).filter(inContext);
  assert.ok(files.length > 80);
  for (const file of files)
    for (const [, name = ''] of read(file).matchAll(
      /^(?:import|export)\b(?! type).* from '((?:@[\w-]+\/)?\w[\w.-]*)/gm,
    ))
      assert.ok(name === 'node' || name in project.dependencies, `${file} imports ${name}`);
});

test('a start without SERVER_SECRET where none can be stored says what to set', async () => {
  const dataDir = join(ROOT, 'package.json', 'data');
  await assert.rejects(
    serverSecret({ ...readConfig({}), dataDir }),
    /^Error: SERVER_SECRET is not set, and none can be stored in .*: set one of at least 32 characters\.$/,
  );
});

const compose = documents('compose.yaml')[0];
const services = Object.entries<Anything>(compose.services);
const MISSING = /^\$\{(\w+):\?.+\}$/;

test('compose: every service is read-only, without capabilities, not root, limited, checked, on a pinned image', () => {
  assert.deepEqual(
    services.map(([name]) => name),
    ['server', 'worker', 'postgres', 'valkey'],
  );
  for (const [name, service] of services) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    const [first, ...others] = service.security_opt;
    assert.equal(first, 'no-new-privileges:true', name);
    if (name !== 'worker') assert.deepEqual(others, [], name); // deploy/worker.test.ts
    assert.ok(service.mem_limit && service.cpu_shares && service.pids_limit, name);
    assert.match(service.image, /^[\w./-]+:\d[\w.-]*$/, name);
    if (name === 'server') continue; // its user and check are those of the Dockerfile
    assert.ok(service.healthcheck.test.length > 1, name);
    if (name === 'worker') continue;
    assert.match(service.user, /^[1-9]\d*:[1-9]\d*$/, name);
    assert.equal(compose.services.server.depends_on[name].condition, 'service_healthy');
  }
  for (const name of ['server', 'worker'])
    assert.equal(compose.services[name].image, `guildhall:${project.version}`);
});

test('compose: only the API is published, to this machine alone; the database has no way out', () => {
  assert.deepEqual(
    services.flatMap(([, { ports = [] }]) => ports),
    ['127.0.0.1:8080:8080'],
  );
  assert.equal(compose.networks.inside.internal, true);
  for (const name of ['postgres', 'valkey'])
    assert.deepEqual(compose.services[name].networks, ['inside']);
});

test('compose: no secret is written down, one that is missing stops the start, and the settings are ones the server takes', () => {
  const { environment } = compose.services.server;
  for (const name of ['SERVER_SECRET', 'PUBLIC_URL']) assert.match(environment[name], MISSING);
  assert.match(environment.DATABASE_URL, /:\$\{GUILDHALL_DB_PASSWORD:\?[^}]+\}@postgres:5432\//);
  for (const name of ['POSTGRES_PASSWORD', 'GUILDHALL_DB_PASSWORD'])
    assert.match(compose.services.postgres.environment[name], MISSING);
  // What begins with AWS_ is read by the client of the file store.
  for (const name of Object.keys(environment))
    assert.ok(SETTINGS.has(name) || name.startsWith('AWS_'), name);
  const values: Record<string, string> = {
    SERVER_SECRET: 's'.repeat(32),
    PUBLIC_URL: 'https://guildhall.example.com',
    GUILDHALL_DB_PASSWORD: 'a1b2',
  };
  const given = Object.entries<string>(environment).map(([name, text]) => [
    name,
    text.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, variable: string) => values[variable] ?? ''),
  ]);
  const config = readConfig(Object.fromEntries(given));
  assert.deepEqual([config.port, config.metrics], [8080, { host: '0.0.0.0', port: 9464 }]);
  assert.equal(config.databaseUrl, 'postgres://guildhall:a1b2@postgres:5432/guildhall');
});
