import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { startHarness } from '../server/testing/harness/harness.ts';

/** The package as it is published: packed by npm, and used in a folder that has nothing else. */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const { fixtures, url } = await startHarness({ own: true });
const owner = await fixtures.user();
const folder = await mkdtemp(join(tmpdir(), 'guildhall-client-'));
after(() => rm(folder, { recursive: true }));

// A copy, because packing changes package.json for a moment.
const copy = join(folder, 'copy');
const isSource = (path: string) => !['node_modules', 'dist'].includes(basename(path));
await cp(import.meta.dirname, copy, { recursive: true, filter: isSource });
await symlink(join(import.meta.dirname, 'node_modules'), join(copy, 'node_modules'));
await mkdir(join(copy, '../node_modules'));
for (const name of ['eventsource-parser', '@guildhall/client'])
  await mkdir(join(folder, 'node_modules', name), { recursive: true });
const parser = 'node_modules/eventsource-parser';
await cp(join(ROOT, parser), join(folder, parser), { recursive: true });
// What npm runs is run by the Node.js of this test, whichever is the first on the PATH.
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PATH };
const packed = await run('npm', ['pack', '--json', '--offline'], { cwd: copy, env });
const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')));
const installed = join(folder, 'node_modules/@guildhall/client');
await run('tar', ['-xzf', join(copy, filename), '--strip-components=1', '-C', installed]);

const APP = `
import { createClient, GuildhallError } from '@guildhall/client';
const guildhall = createClient({ baseUrl: ${JSON.stringify(url)}, key: process.argv[2] });
const { email } = await guildhall.get('/api/account');
const task_id = '${crypto.randomUUID()}';
const events = guildhall.stream('/api/tasks/{task_id}/events', { task_id });
const error = await events.next().then(() => undefined, (error: unknown) => error);
console.log(email, GuildhallError.is(error, 'not_found'));
`;

test('what is packed: JavaScript, types, licence and README, and no test', () => {
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  for (const path of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts'])
    assert.ok(paths.includes(path), path);
  assert.deepEqual(
    paths.filter((path) => /test|src\//.test(path)),
    [],
  );
});

test('the licence is that of the whole', async () => {
  const read = (path: string) => readFile(join(path, 'LICENSE'), 'utf8');
  assert.equal(await read(installed), await read(ROOT));
});

test('packing leaves package.json as it was', async () => {
  const read = (path: string) => readFile(join(path, 'package.json'), 'utf8');
  assert.equal(await read(copy), await read(import.meta.dirname));
  assert.ok(!existsSync(join(copy, 'package.json.kept')));
});

test('it compiles for whoever uses it, with every declaration checked', async () => {
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const app = APP.replace('process.argv[2]', "''");
  await writeFile(join(folder, 'app.ts'), `${app}\nemail satisfies string;\n`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  };
  const settings = JSON.stringify({ compilerOptions, include: ['app.ts'] });
  await writeFile(join(folder, 'tsconfig.json'), settings);
  for (const place of ['client/node_modules', 'node_modules']) {
    const tsc = join(ROOT, place, 'typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', folder]);
  }
});

test('it runs on every Node.js of this machine, from 20 on', async (t) => {
  const found = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'));
  await writeFile(join(folder, 'app.mjs'), APP.replaceAll(': unknown', ''));
  const versions = new Set<string>();
  for (const node of [process.execPath, ...found].filter(existsSync)) {
    const { stdout: version } = await run(node, ['--version']);
    if (versions.has(version) || Number(/\d+/.exec(version)?.[0]) < 20) continue;
    versions.add(version);
    const { stdout } = await run(node, ['app.mjs', owner.key], { cwd: folder });
    assert.equal(stdout, `${owner.email} true\n`, version);
  }
  t.diagnostic([...versions].map((version) => version.trim()).join(', '));
});

test('in a page it takes at most 6 KB, and nothing that a browser does not have', async (t) => {
  const entry = join(folder, 'page.js');
  await writeFile(entry, "export * from '@guildhall/client';");
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, formats: ['iife'], name: 'page' } },
  });
  const [{ output: chunks } = assert.fail()] = output as { output: { code: string }[] }[];
  const code = chunks.map((chunk) => chunk.code).join('');
  assert.doesNotMatch(code, /\bnode:|\bprocess\.|\bBuffer\b|\bimport\b/);
  const size = gzipSync(code).length;
  t.diagnostic(`${code.length} bytes, ${size} with gzip`);
  assert.ok(size < 6_000, `${size} bytes`);
});
