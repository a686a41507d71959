import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../server/testing/fixtures/tasks/file-stores.ts';
import { isAlive } from '../../server/testing/processes/processes.ts';

/** What the end of an engine for tests leaves alone, in a network of its own. */

const run = promisify(execFile);
const LINK = 'ip link add docker0 type bridge';
const skip = await run('unshare', ['--net', 'sh', '-c', LINK]).then(
  () => false,
  () => 'needs root, Linux, and ip of iproute2',
);

/** Returns the links that are there after down.sh. */
async function down(ENGINE: string): Promise<string> {
  const script = join(import.meta.dirname, 'down.sh');
  const env = { ...process.env, ENGINE };
  const lines = `${LINK}; "$0"; ip -oneline link show`;
  const { stdout } = await run('unshare', ['--net', 'sh', '-ec', lines, script], { env });
  return stdout;
}

test('an engine that up.sh has not started keeps its network', { skip }, async () => {
  assert.match(await down(await temporaryFolder()), /docker0/);
});

test('a later process with the number of an engine that was killed goes on; what that one had is removed', {
  skip,
}, async (t) => {
  const engine = join(await temporaryFolder(), 'with spaces');
  await mkdir(join(engine, 'data'), { recursive: true });
  const other = spawn('sleep', ['1000'], { stdio: 'ignore' });
  t.after(() => other.kill());
  await writeFile(join(engine, 'up.pid'), `${other.pid}\n`);
  assert.doesNotMatch(await down(engine), /docker0/);
  assert.equal(await isAlive(other.pid ?? 0), true);
  assert.deepEqual(await readdir(engine), []);
});

test('the engine of up.sh is ended, and its data removed; what it has fetched stays', {
  skip,
}, async (t) => {
  const engine = join(await temporaryFolder(), 'with spaces');
  await mkdir(join(engine, 'data'), { recursive: true });
  await writeFile(join(engine, 'debian.tar'), '');
  const own = ['dockerd', '--pidfile', join(engine, 'dockerd.pid')];
  const standIn = spawn('sh', ['-c', 'while :; do sleep 0.1; done', ...own], { stdio: 'ignore' });
  t.after(() => standIn.kill('SIGKILL'));
  await writeFile(join(engine, 'up.pid'), `${standIn.pid}\n`);
  assert.doesNotMatch(await down(engine), /docker0/);
  assert.equal(await isAlive(standIn.pid ?? 0), false);
  assert.deepEqual(await readdir(engine), ['debian.tar']);
});

test('the builder and the registry of arm64.sh are ended, and not later processes with their numbers', {
  skip,
}, async (t) => {
  const engine = join(await temporaryFolder(), 'with spaces');
  await mkdir(join(engine, 'buildkit'), { recursive: true });
  await mkdir(join(engine, 'registry'));
  await writeFile(join(engine, 'debian-arm64.tar'), '');
  const lines = 'while :; do sleep 0.1; done';
  const own = ['registry', 'serve', join(engine, 'registry.yml')];
  const registry = spawn('sh', ['-c', lines, ...own], { stdio: 'ignore' });
  const other = spawn('sh', ['-c', lines, 'buildkitd'], { stdio: 'ignore' });
  t.after(() => [registry, other].map((one) => one.kill('SIGKILL')));
  await writeFile(join(engine, 'registry.up'), `${registry.pid}\n`);
  await writeFile(join(engine, 'buildkitd.up'), `${other.pid}\n`);
  assert.match(await down(engine), /docker0/);
  assert.equal(await isAlive(registry.pid ?? 0), false);
  assert.equal(await isAlive(other.pid ?? 0), true);
  assert.deepEqual(await readdir(engine), ['debian-arm64.tar']);
});
