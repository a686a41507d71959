import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { removeOutside } from '../db/embedded/outside.ts';
import { readConfig } from '../platform/config/config.ts';
import { diskStore } from '../platform/files/disk-store.ts';
import { openEventLog } from '../tasks/events/open-event-log.ts';
import { ownerClient } from '../testing/database/owner-client.ts';
import { startProxy } from '../testing/database/proxy.ts';
import { withoutContainers } from '../testing/fakes/containers/container.ts';
import { fakeDocker, IMAGE } from '../testing/fakes/containers/docker-server.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import type { Served } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';
import { serveTasks } from './serve-tasks.ts';

/**
 * Where a server cannot carry out tasks, or confine their agents, everything that tells of it says
 * the same: what is printed at the start, the log, `/readyz`, the features and the task.
 */

const tasks = await taskServers();
const { create, untilStatus } = tasks;
const folder = await mkdtemp(join(tmpdir(), 'guildhall-wait-'));
const TOKEN_FILE = join(folder, 'token');
await writeFile(TOKEN_FILE, 'a-token');
await chmod(folder, 0o755); // as root, the users of pods have to pass
after(() => rm(folder, { recursive: true }));

/** A new folder that every user may enter, so that nothing of it is stored outside. */
async function open(prefix: string): Promise<string> {
  const path = await mkdtemp(join(folder, prefix));
  await chmod(path, 0o755);
  return path;
}

/** A PATH with Git, and without bubblewrap. */
const bare = join(folder, 'bin');
await mkdir(bare);
const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
await symlink(git, join(bare, 'git'));

type Noted = Served & { notes?: string[] };

/** Serves with a DATA_DIR of its own. */
async function serve(env: Record<string, string>, dataDir?: string, args: string[] = []) {
  // The database is bound to the first folder of repositories.
  await ownerClient(tasks.databaseUrl, 'delete from repository_folder');
  const DATA_DIR = dataDir ?? (await open('data-'));
  return (await tasks.serve(args, { DATA_DIR, ...env })) as Noted;
}

const end = async ({ child }: Pick<Served, 'child'>) => {
  child.kill('SIGTERM');
  await once(child, 'exit');
};

/** What a server says of tasks, in each place. */
async function told(server: Served, taskId: string) {
  const ready = await fetch(`${server.url}/readyz`);
  const { code } = (await ready.json()) as { code?: string };
  const { features } = await tasks.call<{ features: Record<string, boolean> }>(
    server,
    'GET',
    'config',
  );
  const { agents, pods, confined } = features;
  const task = await tasks.call<Record<string, string>>(server, 'GET', `tasks/${taskId}`);
  return {
    ready: [ready.status, code],
    features: [agents, pods, confined],
    task: [task.status, task.status_reason],
  };
}

interface Case {
  name: string;
  env?: Record<string, string>;
  /** Puts what is in the way into a DATA_DIR. */
  prepare?: (dataDir: string) => Promise<void>;
  /** What is said at the start. */
  note: RegExp;
  reason?: string;
}

const UNABLE: Case[] = [
  {
    name: 'a file is in the place of the pods',
    prepare: (dataDir) => writeFile(join(dataDir, 'pods'), 'in the way'),
    note: /carries out no tasks: The folder \/\S+\/pods must be one that can be written \(EEXIST\)/,
  },
  {
    name: 'a file is in the place of the repositories',
    prepare: (dataDir) => writeFile(join(dataDir, 'repositories'), 'in the way'),
    note: /carries out no tasks: The folder \/\S+\/repositories must be one that can be written/,
  },
  {
    name: 'TMPDIR is not there',
    env: { TMPDIR: join(folder, 'none') },
    note: /carries out no tasks: TMPDIR must be a folder .*: \/\S+\/none is none \(ENOENT\)/,
  },
  {
    name: 'bubblewrap is required and is not there',
    env: { PATH: bare, PODS_SANDBOX: 'required' },
    note: /carries out no tasks: Pods cannot be confined: bubblewrap \(bwrap\) is not installed/,
  },
  {
    name: 'everyone may sign up, and bubblewrap is not there',
    env: { PATH: bare, SIGN_UP: 'open' },
    note: /bubblewrap \(bwrap\) is not installed.*everyone may sign up \(SIGN_UP\)/,
  },
  {
    name: 'other machines reach the server, and bubblewrap is not there',
    env: { PATH: bare, HOST: '0.0.0.0' },
    note: /bubblewrap \(bwrap\) is not installed.*other machines can reach this server \(HOST\)/,
  },
  {
    name: 'there is no container engine',
    env: { PODS_DRIVER: 'docker', PODS_IMAGE: IMAGE, DOCKER_HOST: `unix://${folder}/none.sock` },
    note: /carries out no tasks: The container engine does not answer \(connect ENOENT/,
    reason: 'pods_unavailable',
  },
  {
    name: 'there is no cluster',
    env: {
      PODS_DRIVER: 'kubernetes',
      PODS_IMAGE: IMAGE,
      KUBERNETES_URL: 'http://127.0.0.1:9',
      KUBERNETES_TOKEN_FILE: TOKEN_FILE,
      KUBERNETES_CA_FILE: '/dev/null',
    },
    note: /carries out no tasks: Kubernetes does not answer \(connect ECONNREFUSED/,
    reason: 'pods_unavailable',
  },
];

for (const { name, env = {}, prepare, note, reason = 'worker_unable' } of UNABLE)
  test(`${name}: all that tells of tasks agrees`, async () => {
    const dataDir = await open('data-');
    await prepare?.(dataDir);
    const server = await serve(env, dataDir);
    assert.match(server.notes?.join('\n') ?? '', note);
    assert.equal(server.notes?.length, 1);
    await server.logged('tasks cannot be carried out here');
    const id = await create(server, 'Write waits.md');
    assert.deepEqual(await told(server, id), {
      ready: [503, 'tasks_wait'],
      features: [false, false, false],
      task: ['queued', reason],
    });
    await tasks.call(server, 'POST', `tasks/${id}/cancel`);
    await end(server);
  });

test('while the volume of the repositories is away, tasks wait, no other repository is made, and they go on when it is back', async () => {
  const dataDir = await open('data-');
  const repositories = join(dataDir, 'repositories');
  const server = await serve({}, dataDir);
  const before = await create(server, 'Write before.md');
  await untilStatus(before, 'awaiting_approval');
  await rename(repositories, `${repositories}.away`);
  await mkdir(repositories);
  await server.logged('is not the one with the repositories any more');
  const id = await create(server, 'Write waits.md');
  assert.deepEqual(await told(server, id), {
    ready: [503, 'tasks_wait'],
    features: [false, false, false],
    task: ['queued', 'worker_unable'],
  });
  assert.deepEqual(await readdir(repositories), []);
  await rm(repositories, { recursive: true });
  await rename(`${repositories}.away`, repositories);
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual((await told(server, id)).ready, [200, undefined]);
  await end(server);
});

test('while the database of the events is away, tasks wait and say so, and they go on when it is back', async (t) => {
  const name = `events_${randomBytes(8).toString('hex')}`;
  await ownerClient(tasks.databaseUrl, `create database ${name}`);
  t.after(() => ownerClient(tasks.databaseUrl, `drop database ${name} with (force)`));
  const url = new URL(tasks.databaseUrl);
  url.pathname = name;
  const events = await startProxy(url.href);
  t.after(events.close);
  const server = await serve({ EVENT_DATABASE_URL: events.url });
  const before = await create(server, 'Write before.md');
  await untilStatus(before, 'awaiting_approval');
  events.cut();
  await server.logged('The database with the events of tasks does not answer');
  const id = await create(server, 'Write waits.md');
  assert.deepEqual(await told(server, id), {
    ready: [503, 'tasks_wait'],
    features: [false, false, false],
    task: ['queued', 'worker_unable'],
  });
  events.mend();
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual((await told(server, id)).ready, [200, undefined]);
  await end(server);
});

test('one of several processes that cannot carry out tasks says it as a single one does', async () => {
  const env = { PATH: bare, PODS_SANDBOX: 'required' };
  const server = await serve(env, undefined, ['--workers', '1']);
  assert.match(server.notes?.join('\n') ?? '', /carries out no tasks: Pods cannot be confined/);
  const id = await create(server, 'Write waits.md');
  assert.deepEqual(await told(server, id), {
    ready: [503, 'tasks_wait'],
    features: [false, false, false],
    task: ['queued', 'worker_unable'],
  });
  await tasks.call(server, 'POST', `tasks/${id}/cancel`);
  await end(server);
});

test('a server that leaves tasks to others is ready, and says whether one carries them out', async () => {
  const server = await tasks.serve([], { work: false });
  const id = await create(server, 'Write waits.md');
  assert.deepEqual(await told(server, id), {
    ready: [200, undefined],
    features: [false, false, false],
    task: ['queued', 'no_worker'],
  });
  const working = await serve({});
  assert.equal(working.notes, undefined);
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual(await told(server, id), {
    ready: [200, undefined],
    features: [true, true, true],
    task: ['awaiting_approval', undefined],
  });
  await end(working);
  const { features } = await told(server, id);
  assert.deepEqual(features, [false, false, false]);
  await end(server);
});

test('where only people of this machine are let in, agents work unconfined, and all that tells of it agrees', async () => {
  const server = await serve({ PATH: bare });
  assert.match(
    server.notes?.join('\n') ?? '',
    /^Agents are not confined: bubblewrap \(bwrap\) is not installed.* can run programs/,
  );
  const id = await create(server, 'Write free.md');
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual(await told(server, id), {
    ready: [200, undefined],
    features: [true, true, false],
    task: ['awaiting_approval', undefined],
  });
  const { pod } = await tasks.call<{ pod: object }>(server, 'GET', `tasks/${id}`);
  assert.deepEqual(pod, { state: 'paused', driver: 'process', confined: false });
  await end(server);
});

test('tasks wait for a container engine and go on by themselves when it is there', {
  skip: withoutContainers,
}, async () => {
  const place = await mkdtemp(join(folder, 'engine-'));
  const env = {
    PODS_DRIVER: 'docker',
    PODS_IMAGE: IMAGE,
    DOCKER_HOST: `unix://${place}/docker.sock`,
  };
  const server = await serve(env);
  const id = await create(server, 'Write later.md');
  assert.deepEqual((await told(server, id)).task, ['queued', 'pods_unavailable']);
  const engine = await fakeDocker(place);
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual(await told(server, id), {
    ready: [200, undefined],
    features: [true, true, true],
    task: ['awaiting_approval', undefined],
  });
  const { pod } = await tasks.call<{ pod: object }>(server, 'GET', `tasks/${id}`);
  assert.deepEqual(pod, { state: 'paused', driver: 'docker', confined: true });

  // An engine that goes away between two polls: the pod of a new task was never there.
  await engine.close();
  const next = await create(server, 'Write next.md');
  await until('it waits', async () => {
    const { task } = await told(server, next);
    assert.ok(['queued', 'planning'].includes(task[0] as string), String(task));
    return task[1] === 'pods_unavailable';
  });
  const again = await fakeDocker(place);
  await untilStatus(next, 'awaiting_approval');
  await end(server);
  await again.close();
});

test('as root, below a folder that only root may enter, agents work all the same', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, async () => {
  const closed = await mkdtemp(join(folder, 'closed-'));
  const dataDir = join(closed, 'x', 'y');
  const server = await serve({}, dataDir);
  assert.equal(server.notes, undefined);
  const id = await create(server, 'Write root.md');
  await untilStatus(id, 'awaiting_approval');
  const pods = (await readFile(join(dataDir, 'pods-location'), 'utf8')).trim();
  assert.match(pods, /^\/var\/lib\/guildhall\/pods-/);
  await end(server);
  const next = await serve({}, dataDir);
  await end(next);
  assert.equal((await readFile(join(dataDir, 'pods-location'), 'utf8')).trim(), pods);
  await removeOutside(dataDir);
});

for (const inTheWay of ['pods', 'erp-instances'])
  test(`with a file in the place of ${inTheWay}, the reason is logged again and again, and the start is tried until it succeeds`, async () => {
    const DATA_DIR = await open('again-');
    await writeFile(join(DATA_DIR, inTheWay), 'in the way');
    await ownerClient(tasks.databaseUrl, 'delete from repository_folder');
    const lines: { msg: string; reason?: string }[] = [];
    const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
    const events = openEventLog({ url: tasks.databaseUrl });
    const store = diskStore(join(DATA_DIR, 'files'));
    const served = serveTasks(
      readConfig({ DATA_DIR, DATABASE_URL: tasks.databaseUrl, ERP_INSTANCES: 'sandbox' }),
      // It takes each name once.
      { db: tasks.db, events, store, log, registry: new Registry() },
      { times: { again: 50 } },
    );
    await served.begun;
    const cannot = () =>
      lines.filter(({ msg }) => msg.startsWith('tasks cannot be carried out here'));
    await until('it is said three times', () => cannot().length >= 3);
    for (const { reason } of cannot())
      assert.match(reason ?? '', new RegExp(`/${inTheWay} must be one that can be written`));
    await rm(join(DATA_DIR, inTheWay));
    await until('it works', () => served.fault() === undefined);
    assert.ok(lines.some(({ msg }) => msg === 'tasks are carried out now'));
    await served.close();
    await events.close();
  });
