import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { branchOf } from '../../server/code/repositories/git.ts';
import { cloneDatabase, emptyDatabase } from '../../server/testing/database/database.ts';
import { addressOf, git } from '../../server/testing/fixtures/code/git-client.ts';
import { freePort } from '../../server/testing/processes/programs.ts';
import { type Anything, documents, project } from '../files.ts';

/**
 * What deploy/kubernetes/backup and restore run, in containers of the image on a real engine, with the
 * mounts of their Pods, beside a server and a worker: `npm run test:skipped -- --only images`. The
 * database is one of this machine.
 */

const skip =
  process.env.GUILDHALL_TEST_COMPOSE === undefined &&
  'needs an engine: npm run test:skipped -- --only images';
const timeout = 900_000;
const image = `guildhall:${project.version}`;
const run = promisify(execFile);
const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { maxBuffer: 64 * 1024 ** 2 })).stdout.trim();

const podOf = (path: string): Anything => {
  const [{ spec }] = documents(`deploy/kubernetes/${path}`);
  const [container] = (spec.jobTemplate?.spec.template.spec ?? spec).containers;
  return container;
};
const nightly = podOf('backup/cron-job.yaml');
const restoring = podOf('restore/pod.yaml');
const [{ services }] = documents('compose.yaml');

const secret = randomBytes(32).toString('hex');
/** Folders of the user 1000. */
const VOLUMES = ['repositories', 'files', 'pods', 'backups', 'restored', 'restored-files'];
const started: string[] = [];
let folder = '';
let used: Awaited<ReturnType<typeof cloneDatabase>>;
let fresh: Awaited<ReturnType<typeof cloneDatabase>>;

before(async () => {
  if (skip) return;
  folder = await mkdtemp(join(tmpdir(), 'guildhall-engine-'));
  for (const name of VOLUMES) {
    await mkdir(join(folder, name));
    await chown(join(folder, name), 1000, 1000);
  }
  used = await cloneDatabase();
  fresh = await emptyDatabase();
});
after(async () => {
  if (skip) return;
  for (const id of started) await docker('rm', '--force', '--volumes', id);
  for (const database of [used, fresh]) await database.drop();
  await rm(folder, { recursive: true });
});

/** Confined as in the manifests, but in this machine's network. */
function confined(url: string, mounts: Record<string, string>): string[] {
  const options = ['--network=host', '--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--init'];
  options.push('--security-opt=no-new-privileges:true');
  for (const [path, name] of Object.entries(mounts)) {
    const [volume, ...mode] = name.split(':');
    options.push(`--volume=${[join(folder, volume as string), path, ...mode].join(':')}`);
  }
  options.push(`--env=DATABASE_URL=${url}`, `--env=SERVER_SECRET=${secret}`);
  return options;
}
async function start(options: string[], ...command: string[]): Promise<string> {
  const id = await docker('run', '--detach', ...options, image, ...command);
  started.push(id);
  return id;
}
const inside = (id: string, ...command: string[]) =>
  docker('exec', id, 'node', 'cli/guildhall.ts', ...command);

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await done().catch(() => false))) {
    assert.ok(Date.now() < deadline, what);
    await pause(300);
  }
}

/** Both containers of an installation; returns how its API is called. */
async function installation(url: string, repositories: string, files: string) {
  const [port, metrics] = [await freePort(), await freePort()];
  const shared = { '/data/repositories': repositories, '/data/files': files };
  const own = ['--env=HOST=127.0.0.1', `--env=PORT=${port}`, '--env=BILLING=off'];
  const server = await start([...confined(url, shared), ...own], 'serve', '--no-work');
  const address = `http://127.0.0.1:${port}`;
  await until('the server is ready', async () => (await fetch(`${address}/readyz`)).ok);
  const worker = () => {
    const options = confined(url, { ...shared, '/data/pods': 'pods' });
    for (const each of services.worker.security_opt) options.push(`--security-opt=${each}`);
    options.push('--env=PODS_SANDBOX=required', `--env=METRICS_PORT=${metrics}`);
    return start(options, 'work');
  };
  const caller =
    (key: string) =>
    async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${address}/api/${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text);
    };
  return { address, server, worker, caller };
}

test('what the night writes beside servers is restored into empty volumes, and goes on there', {
  skip,
  timeout,
}, async (t) => {
  const { address, server, worker, caller } = await installation(used.url, 'repositories', 'files');
  const person = ['--email=ada@example.com', '--name=Ada'];
  await inside(server, 'users', 'create', ...person);
  const keyed = ['--email=ada@example.com', '--name=laptop', '--json'];
  const { key } = JSON.parse(await inside(server, 'keys', 'create', ...keyed));
  const call = caller(key);
  const killed = await worker();
  const { id } = await call<{ id: string }>('POST', 'projects', { name: 'Contained' });
  const message = 'Write notes/contained.md [[build:slow 5]]';
  const task = await call<{ id: string }>('POST', `projects/${id}/tasks`, { message });
  const is = (wanted: string) =>
    until(wanted, async () => {
      const { status } = await call<{ status: string }>('GET', `tasks/${task.id}`);
      return status === wanted;
    });
  await is('awaiting_approval');
  await call('POST', `tasks/${task.id}/plan/approve`);
  await is('building');
  await docker('kill', killed);
  await worker();
  await is('ready');
  await call('POST', `tasks/${task.id}/pull-request`);
  const pull = () => call<{ head_sha?: string }>('GET', `tasks/${task.id}/pull-request`);
  await until('the head is known', async () => (await pull()).head_sha !== undefined);
  await call('POST', `tasks/${task.id}/merge`, { expected_head_sha: (await pull()).head_sha });
  const merged = async () =>
    (await call<{ state: string }>('GET', `tasks/${task.id}/merge`)).state === 'merged';
  await until('merged', merged);

  // The mounts of the Pod, and the files on disk besides, where a cluster has a bucket.
  const { mountPath, readOnly } = nightly.volumeMounts.find(
    ({ name }: Anything) => name === 'repositories',
  );
  assert.equal(readOnly, true);
  const mounts = {
    [mountPath]: 'repositories:ro',
    '/data/files': 'files:ro',
    '/backup': 'backups',
  };
  const [entrypoint, ...rest] = nightly.command;
  const options = [...confined(used.url, mounts), '--env=KEEP=7', `--entrypoint=${entrypoint}`];
  const said = await docker('run', '--rm', ...options, image, ...rest, ...nightly.args);
  t.diagnostic(said);
  const [archive] = await readdir(join(folder, 'backups'));
  assert.match(archive as string, /^\d{4}-\d\d-\d\d-\d{6}\.guildhall$/);

  const into = {
    '/backup': 'backups',
    [mountPath]: 'restored',
    '/data/files': 'restored-files',
  };
  const [sleep, ...forever] = restoring.command;
  const empty = ['--tmpfs=/data:uid=1000,mode=0700', `--entrypoint=${sleep}`];
  const pod = await start([...confined(fresh.url, into), ...empty], ...forever);
  const told = await inside(pod, 'restore', `/backup/${archive}`);
  t.diagnostic(told);
  assert.match(told, /The ledger holds/);
  assert.match(told, /git fsck: all 1 repositories are whole/);
  assert.match(await inside(pod, 'audit', 'ledger'), /The ledger holds/);
  await assert.rejects(inside(pod, 'restore', `/backup/${archive}`), /must be an empty folder/);

  const there = await installation(fresh.url, 'restored', 'restored-files');
  const again = there.caller(key);
  assert.equal((await again<{ state: string }>('GET', `tasks/${task.id}/merge`)).state, 'merged');
  for (const from of [address, there.address]) {
    const clone = await mkdtemp(join(folder, 'clone-'));
    await git('/', 'clone', '--quiet', addressOf(from, id, key), clone);
    const [note] = await readdir(join(clone, 'notes'));
    assert.ok((await readFile(join(clone, 'notes', note as string), 'utf8')).length > 0);
    assert.equal(await git(clone, 'branch', '--list', branchOf(task.id)), '');
  }
  await docker('stop', '--time=60', server);
  assert.equal(await docker('inspect', '--format={{.State.ExitCode}}', server), '0');
});
