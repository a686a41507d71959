import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { freePort } from '../../server/testing/processes/programs.ts';
import { project } from '../files.ts';

/**
 * The images for arm64, on an engine that emulates its processor, with a PostgreSQL of this machine:
 * `npm run test:skipped -- --only arm64` makes all of it.
 */

const { GUILDHALL_TEST_ARM64: registry = '' } = process.env;
const skip = registry === '' && 'needs emulation: npm run test:skipped -- --only arm64';
// Node.js needs 40 seconds of a processor for the start of the server where it is emulated.
const timeout = 1_200_000;
const run = promisify(execFile);
const docker = async (...args: string[]) => (await run('docker', args)).stdout.trim();
const image = (name: string) => `${registry}/${name}:${project.version}`;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
/** As compose.yaml runs the server, but in this machine's network. */
const confined: string[] = [];
before(async () => {
  if (skip) return;
  database = await cloneDatabase();
  confined.push('--platform=linux/arm64', '--network=host', '--read-only', '--tmpfs=/tmp');
  confined.push('--cap-drop=ALL', '--security-opt=no-new-privileges:true');
  for (const name of ['files', 'repositories']) confined.push(`--volume=/data/${name}`);
  const secret = randomBytes(32).toString('hex');
  const settings = { DATABASE_URL: database.url, SERVER_SECRET: secret, HOST: '127.0.0.1' };
  for (const [name, value] of Object.entries(settings)) confined.push('--env', `${name}=${value}`);
});
after(() => skip || database.drop());

test('the image is for arm64, and so are its programs', { skip, timeout }, async () => {
  const format = '--format={{.Os}}/{{.Architecture}}';
  assert.equal(await docker('image', 'inspect', format, image('guildhall')), 'linux/arm64');
  const print = 'console.log(process.arch, process.versions.node)';
  const args = ['run', '--rm', ...confined, '--entrypoint=node', image('guildhall'), '-e', print];
  assert.equal(await docker(...args), `arm64 ${project.dependencies.node}`);
  for (const program of ['git', 'bwrap']) {
    const version = ['run', '--rm', ...confined, `--entrypoint=${program}`, image('guildhall')];
    assert.match(await docker(...version, '--version'), /\d/);
  }
});

test('the command line says its version and finds the ledger right', {
  skip,
  timeout,
}, async () => {
  const guildhall = (...args: string[]) =>
    docker('run', '--rm', ...confined, image('guildhall'), ...args);
  assert.equal(await guildhall('--version'), project.version);
  assert.match(await guildhall('audit', 'ledger'), /./);
});

test('the server starts, answers, and ends by SIGTERM with status 0', {
  skip,
  timeout,
}, async (t) => {
  const port = await freePort();
  const options = ['--detach', ...confined, `--env=PORT=${port}`];
  const container = await docker('run', ...options, image('guildhall'), 'serve', '--no-work');
  t.after(() => docker('rm', '--force', '--volumes', container));
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  while (!(await ask('/readyz').catch(() => undefined))?.ok) {
    assert.ok(seconds() < 900, 'not ready');
    assert.equal(await docker('inspect', '--format={{.State.Status}}', container), 'running');
    await sleep(500);
  }
  t.diagnostic(`ready after ${seconds().toFixed(1)} s`);
  assert.equal((await ask('/healthz')).status, 200);
  assert.match(await (await ask('/')).text(), /<script type="module"/);
  const stopped = performance.now();
  await docker('stop', '--time=60', container);
  t.diagnostic(`ended in ${((performance.now() - stopped) / 1_000).toFixed(1)} s`);
  assert.equal(await docker('inspect', '--format={{.State.ExitCode}}', container), '0');
});
