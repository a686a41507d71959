import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { branchOf } from '../../server/code/repositories/git.ts';
import { addressOf, git } from '../../server/testing/fixtures/code/git-client.ts';
import { freePort } from '../../server/testing/processes/programs.ts';
import { project, ROOT, read } from '../files.ts';

/**
 * The installation with Compose, as docs/operations/install.md tells it, with the images of this
 * repository on a real engine: `npm run test:skipped -- --only images` makes both. Its project, its
 * port and its volumes are its own.
 */

const skip =
  process.env.GUILDHALL_TEST_COMPOSE === undefined &&
  'needs an engine: npm run test:skipped -- --only images';
const timeout = 600_000;
const run = promisify(execFile);
const image = `guildhall:${project.version}`;

let folder = '';
let url = '';
let env: NodeJS.ProcessEnv = {};
const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { cwd: folder, env, maxBuffer: 64 * 1024 ** 2 })).stdout.trim();
const compose = (...args: string[]) => docker('compose', ...args);
const sh = async (script: string) =>
  (await run('bash', ['-ec', script], { cwd: folder, env })).stdout;

/** The lines of the page for Compose: the first part writes `.env`, the second one is to be run. */
const [, write = '', start = ''] =
  /```sh\n(umask 077\n[\s\S]*?\nEND\n)([\s\S]*?)```/.exec(read('docs/operations/install.md')) ?? [];

async function ready(seconds: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    const took = (performance.now() - began) / 1_000;
    if (answer?.ok) return took;
    assert.ok(took < seconds, await compose('logs', '--tail', '30'));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

before(async () => {
  if (skip) return;
  folder = await mkdtemp(join(tmpdir(), 'guildhall-compose-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const name = folder.slice(-6).toLowerCase();
  env = { ...process.env, COMPOSE_PROJECT_NAME: `guildhall-test-${name}` };
  const file = read('compose.yaml').replace('127.0.0.1:8080:8080', `127.0.0.1:${port}:8080`);
  await writeFile(join(folder, 'compose.yaml'), file);
  await cp(join(ROOT, 'deploy/postgres'), join(folder, 'deploy/postgres'), { recursive: true });
  await cp(join(ROOT, 'demo/world.json'), join(folder, 'world.json'));
  await sh(write);
});
after(async () => {
  if (skip) return;
  await compose('down', '--volumes', '--timeout', '30');
  await rm(folder, { recursive: true });
});

let key = '';
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok)
    assert.fail(
      `${method} ${path}: ${answer.status} ${text}\n${await compose('logs', '--tail', '5', 'server')}`,
    );
  return JSON.parse(text);
}
async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await done())) {
    assert.ok(Date.now() < deadline, `${what}\n${await compose('logs', '--tail', '30', 'worker')}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

test('the lines of the document put it up, and what they print are keys', {
  skip,
  timeout,
}, async (t) => {
  const [up = '', load = '', list = ''] = start.trim().split('\n');
  assert.match(up, /^docker compose up --detach --build$/);
  const began = performance.now();
  await sh(up.replace(' --build', ''));
  await ready(300);
  t.diagnostic(`ready ${((performance.now() - began) / 1_000).toFixed(1)} s after \`up\``);
  const ids = JSON.parse(await sh(load));
  key = ids.keys['ada-laptop'];
  await sh(list);
});

test('a message becomes a merge, in a confined pod, and the worker is restarted in between', {
  skip,
  timeout,
}, async () => {
  const { id } = await call<{ id: string }>('POST', 'projects', { name: 'Composed' });
  const message = 'Write notes/composed.md [[build:slow 5]]';
  const made = await call<{ id: string }>('POST', `projects/${id}/tasks`, { message });
  const task = `tasks/${made.id}`;
  const is = (wanted: string) =>
    until(wanted, async () => (await call<{ status: string }>('GET', task)).status === wanted);
  await is('awaiting_approval');
  const { pod } = await call<{ pod: { confined: boolean } }>('GET', task);
  assert.equal(pod.confined, true);
  await call('POST', `${task}/plan/approve`);
  await is('building');
  await compose('restart', 'worker');
  await is('ready');
  const clone = join(folder, 'clone');
  const address = addressOf(url, id, key);
  await git('/', 'clone', '--quiet', '--branch', branchOf(made.id), address, clone);
  await writeFile(join(clone, 'pushed.txt'), 'pushed\n');
  await git(clone, 'add', '--all');
  await git(clone, 'commit', '--quiet', '--message', 'Push');
  await git(clone, 'push', '--quiet', 'origin', 'HEAD');
  await call('POST', `${task}/pull-request`);
  const pull = () => call<{ head_sha?: string }>('GET', `${task}/pull-request`);
  await until('the head is known', async () => (await pull()).head_sha !== undefined);
  await call('POST', `${task}/merge`, { expected_head_sha: (await pull()).head_sha });
  const merge = () => call<{ state: string }>('GET', `${task}/merge`);
  await until('merged', async () => (await merge()).state === 'merged');
  await compose('down');
  await compose('up', '--detach');
  await ready(120);
  assert.equal((await merge()).state, 'merged');
  const again = join(folder, 'again');
  await git('/', 'clone', '--quiet', address, again);
  assert.deepEqual((await readdir(join(again, 'notes'))).length, 1);
  assert.equal(await readFile(join(again, 'pushed.txt'), 'utf8'), 'pushed\n');
});

test('containers run as user 1000 and cannot change their system; their checks pass', {
  skip,
  timeout,
}, async () => {
  for (const service of ['server', 'worker']) {
    const id = await compose('ps', '--quiet', service);
    const [{ Config, HostConfig, State }] = JSON.parse(await docker('inspect', id));
    assert.deepEqual([Config.User, HostConfig.ReadonlyRootfs], ['1000:1000', true], service);
    assert.deepEqual(HostConfig.CapDrop, ['ALL']);
    await until('healthy', async () => {
      const [now] = JSON.parse(await docker('inspect', id));
      return now.State.Health.Status === 'healthy';
    });
    assert.equal(State.Running, true);
    const inside = (script: string) => compose('exec', '--no-TTY', service, 'sh', '-c', script);
    assert.equal(await inside('id -u'), '1000');
    const change = 'touch /app/x /usr/x 2>&1; echo >> server/main/main.ts; true';
    await inside(change);
    assert.equal(await inside('ls /app/x /usr/x 2>/dev/null | wc -l'), '0');
    const found = 'find / -xdev -perm /6000 -type f 2>/dev/null | wc -l';
    assert.ok(Number(await inside(found)) < 20);
  }
});

test('a worker that cannot confine agents says why, and does not start', {
  skip,
  timeout,
}, async () => {
  const more = 'services:\n  worker:\n    security_opt: !override ["no-new-privileges:true"]\n';
  await writeFile(join(folder, 'strict.yaml'), more);
  const files = ['--file', 'compose.yaml', '--file', 'strict.yaml'];
  const asked = compose(...files, 'run', '--rm', '--no-deps', '--no-TTY', 'worker');
  await assert.rejects(asked, ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    assert.match(stdout + stderr, /PODS_SANDBOX|bubblewrap/);
    return true;
  });
});

test('secrets come from files, and no variable of a process has them', {
  skip,
  timeout,
}, async () => {
  const [, override = ''] =
    /```yaml\n(# compose\.override\.yaml[\s\S]*?)```/.exec(read('docs/operations/secrets.md')) ??
    [];
  assert.ok(override.length > 0);
  const values = Object.fromEntries(
    (await readFile(join(folder, '.env'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s)),
  );
  await writeFile(join(folder, 'compose.override.yaml'), override);
  await sh(`${/```sh\n(install[\s\S]*?)```/.exec(read('docs/operations/secrets.md'))?.[1]}`);
  await ready(120);
  for (const service of ['server', 'worker']) {
    const [{ Config }] = JSON.parse(
      await docker('inspect', await compose('ps', '--quiet', service)),
    );
    assert.ok(!Config.Env.join('\n').includes(values.SERVER_SECRET), service);
  }
  assert.equal((await call<{ name: string }>('GET', 'account')) !== undefined, true);
});

test('the image has no development packages, no tests, no secrets, and nothing that was not asked for', {
  skip,
  timeout,
}, async () => {
  const [{ Config }] = JSON.parse(await docker('image', 'inspect', image));
  assert.deepEqual([Config.User, Config.WorkingDir], ['1000:1000', '/app']);
  const { packages: locked } = JSON.parse(read('package-lock.json'));
  const development = Object.keys(locked).filter((path) => locked[path].dev);
  const inside = (script: string) =>
    docker('run', '--rm', '--entrypoint', 'sh', image, '-c', script);
  const there = await inside('find node_modules -mindepth 1 -maxdepth 4 -type d');
  const found = new Set(there.split('\n'));
  assert.ok(development.length > 100 && found.has('node_modules/fastify'));
  assert.deepEqual(
    development.filter((path) => found.has(path)),
    [],
  );
  assert.equal(
    await inside("find /app -name '*.test.ts' -not -path '*/node_modules/*' | wc -l"),
    '0',
  );
  assert.equal(await inside('ls -a /app | grep -E "^\\.(env|git|guildhall|npmrc)" | wc -l'), '0');
  assert.equal(await inside('find /app -not -user root | wc -l'), '0');
  const history = await docker('history', '--no-trunc', '--format', '{{.CreatedBy}}', image);
  assert.doesNotMatch(history, /SECRET|PASSWORD|TOKEN|_KEY/);
});
