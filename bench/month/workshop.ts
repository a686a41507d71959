import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type Client, createClient } from '../../client/src/index.ts';
import { gitDirOf } from '../../server/code/repositories/git.ts';
import { freePort, startGuildhall } from '../servers.ts';
import type { Known } from '../world.ts';

/** Of ten tasks, so many are like this one. */
interface Shape {
  of: number;
  /** What is said besides, to the sandbox agent. */
  cues: string;
  ends: 'waits' | 'failed' | 'merged' | 'archived';
}

/** What the tasks that are copied are about; each copy has a subject of its own. */
export const SUBJECT = 'a greeting';

/** What becomes of a task, each carried out once by a server and its sandbox agent. */
export const SHAPES: readonly [Shape, ...Shape[]] = [
  { of: 6, cues: '[[cost 0.40]] [[artifact]]', ends: 'merged' },
  { of: 1, cues: '[[ask]] [[cost 0.40]]', ends: 'merged' },
  { of: 1, cues: '[[cost 0.20]]', ends: 'waits' },
  { of: 1, cues: '[[fail]] [[cost 0.10]]', ends: 'failed' },
  { of: 1, cues: '[[cost 0.40]]', ends: 'archived' },
];

const BUILD_FILE =
  'checks:\n  - name: tests\n    run: echo all well\n    timeout_minutes: 1\n' +
  'deploy:\n  production: echo deployed\n';

/** A database, and the folder of its repositories, which is that of all its copies. */
export interface Place {
  name: string;
  url: string;
  dataDir: string;
}

/** A server that carries out tasks of the first project. */
export interface Workshop {
  client: Client;
  /** An address, or a path below /api/. */
  get(path: string): Promise<void>;
  carryOut(shape: Shape, subject: string): Promise<void>;
  /** Milliseconds from the start of its process to its first line. */
  startMs: number;
  metrics: string;
}

/** Where somebody is told of tasks, in all places. */
const port = await freePort();
export const TOLD = `http://127.0.0.1:${port}/`;

export async function withWorkshop(
  { url: databaseUrl, dataDir }: Place,
  { workspaces: [first] }: Known,
  work: (workshop: Workshop) => Promise<void>,
): Promise<void> {
  const { key, projects } = first as Known['workspaces'][number];
  const [project_id = ''] = projects;
  const bare = gitDirOf(join(dataDir, 'repositories'), project_id);
  if (!existsSync(bare)) makeRepository(bare);
  const told = createServer((request, answer) => {
    request.resume().once('end', () => answer.writeHead(204).end());
  }).listen(port, '127.0.0.1');
  const env = {
    DATA_DIR: dataDir,
    METRICS_PORT: '0',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const began = performance.now();
  const server = await startGuildhall(databaseUrl, env, { work: true });
  const startMs = performance.now() - began;
  const client = createClient({ baseUrl: server.url, key });
  try {
    await work({
      client,
      startMs,
      metrics: `${server.metrics}`,
      async get(path) {
        const headers = { authorization: `Bearer ${key}` };
        const reply = await fetch(new URL(path, `${server.url}/api/`), { headers });
        const text = await reply.text();
        if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
      },
      async carryOut(shape, subject) {
        const task_id = await carryOut(client, project_id, shape, subject);
        // As it is a day later: a pod that nobody uses is removed.
        await client.post('/api/tasks/{task_id}/pod/stop', { task_id });
      },
    });
  } finally {
    await server.stop();
    told.close();
  }
}

/** A task from its message to its end, as a person goes through it. */
async function carryOut(
  client: Client,
  project_id: string,
  { cues, ends }: Shape,
  subject: string,
): Promise<string> {
  const body = { message: `Add ${subject} ${cues}` };
  const { id: task_id } = await client.post('/api/projects/{project_id}/tasks', {
    project_id,
    body,
  });
  const reach = (wanted: string) =>
    until(async () => {
      const { status } = await client.get('/api/tasks/{task_id}', { task_id });
      if (status === 'awaiting_answer') await answer(client, task_id);
      return status === wanted;
    }, `${body.message} becomes ${wanted}`);
  await reach(ends === 'failed' ? 'failed' : 'awaiting_approval');
  if (ends === 'failed' || ends === 'waits') return task_id;
  await client.post('/api/tasks/{task_id}/plan/approve', { task_id });
  await reach('ready');
  await client.post('/api/tasks/{task_id}/pull-request', { task_id });
  const pull = () => client.get('/api/tasks/{task_id}/pull-request', { task_id });
  await until(
    async () => (await pull()).checks.state === 'passed',
    `${body.message} has been checked`,
  );
  const expected_head_sha = (await pull()).head_sha as string;
  await client.post('/api/tasks/{task_id}/merge', { task_id, body: { expected_head_sha } });
  await until(async () => {
    const { state } = await client.get('/api/tasks/{task_id}/merge', { task_id });
    return state === 'merged';
  }, `${body.message} is merged`);
  if (ends === 'archived')
    await client.put('/api/tasks/{task_id}', { task_id, body: { archived: true } });
  return task_id;
}

async function answer(client: Client, task_id: string): Promise<void> {
  for await (const request of client.list('/api/tasks/{task_id}/requests', { task_id }))
    if (request.status === 'open')
      await client.post('/api/tasks/{task_id}/requests/{request_id}/answer', {
        task_id,
        request_id: request.id,
        body: { option_id: request.options[0]?.id as string },
      });
}

/** With a check and a deploy. */
function makeRepository(bare: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  const input =
    'commit refs/heads/main\ncommitter Bench <bench@localhost> 1700000000 +0000\ndata 5\nBegin\n' +
    `M 644 inline .guildhall.yml\ndata ${BUILD_FILE.length}\n${BUILD_FILE}\n`;
  execFileSync('git', ['-C', bare, 'fast-import', '--quiet'], { input });
}

/** Until what was begun is done everywhere: the database has not changed for some seconds. */
export async function untilQuiet(owner: pg.Client): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < 3; ) {
    await pause(1_500);
    const { rows } = await owner.query(
      `select string_agg(relname || n_tup_ins || n_tup_del, ' ' order by relid) as all
         from pg_stat_user_tables where relname <> 'task_worker'`,
    );
    quiet = rows[0].all === before ? quiet + 1 : 0;
    before = rows[0].all;
  }
}

const GIVE_UP_MS = 240_000;

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const began = Date.now(); !(await isSo()); await pause(50))
    if (Date.now() - began > GIVE_UP_MS) throw new Error(`for minutes it is not so: ${what}`);
}
