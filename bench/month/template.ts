import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { gitDirOf } from '../../server/code/repositories/git.ts';
import { startGuildhall } from '../servers.ts';
import type { Known } from '../world.ts';

/** Of ten tasks, so many are like this one. */
interface Shape {
  name: string;
  of: number;
  /** What is said besides, to the sandbox agent. */
  cues: string;
  ends: 'waits' | 'failed' | 'merged' | 'archived';
}

/** What the tasks that are copied are about; each copy has a subject of its own. */
export const SUBJECT = 'a greeting';

/** What becomes of a task, each carried out once by a server and its sandbox agent. */
export const SHAPES: readonly [Shape, ...Shape[]] = [
  { name: 'merged', of: 6, cues: '[[cost 0.40]] [[artifact]]', ends: 'merged' },
  { name: 'asked', of: 1, cues: '[[ask]] [[cost 0.40]]', ends: 'merged' },
  { name: 'waiting', of: 1, cues: '[[cost 0.20]]', ends: 'waits' },
  { name: 'failed', of: 1, cues: '[[fail]] [[cost 0.10]]', ends: 'failed' },
  { name: 'archived', of: 1, cues: '[[cost 0.40]]', ends: 'archived' },
];

/** A database, and the folder of its repositories, which is that of all its copies. */
export interface Place {
  name: string;
  url: string;
  dataDir: string;
}

/** A server that carries out tasks, and what is done with it. */
export interface Workshop {
  call: Call;
  carryOut(shape: Shape, subject: string): Promise<void>;
  /** Milliseconds from the start of its process to its first line. */
  startMs: number;
  metrics: string;
}

/** With a repository of the first project, and somebody who is told by the first workspace. */
export async function withWorkshop(
  { url: databaseUrl, dataDir }: Place,
  { workspaces: [first] }: Known,
  work: (workshop: Workshop) => Promise<void>,
): Promise<void> {
  const { id, key, projects } = first as Known['workspaces'][number];
  const [project = ''] = projects;
  const bare = gitDirOf(join(dataDir, 'repositories'), project);
  if (!existsSync(bare)) await repository(bare);
  const told = createServer((request, answer) => {
    request.resume().once('end', () => answer.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  const began = performance.now();
  const server = await startGuildhall(
    databaseUrl,
    {
      DATA_DIR: dataDir,
      METRICS_PORT: '0',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
      WEBHOOK_ALLOW_HTTP: 'true',
    },
    { work: true },
  );
  const startMs = performance.now() - began;
  const call: Call = async (method, path, body) => {
    const reply = await fetch(`${server.url}/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const { port } = told.address() as AddressInfo;
  const webhook = { name: 'Bench', url: `http://127.0.0.1:${port}/`, event_types: EVENT_TYPES };
  try {
    const webhooks = (await call('GET', `organizations/${id}/webhooks`)) as unknown as Webhook[];
    const known = webhooks.find(({ name }) => name === webhook.name);
    if (known !== undefined) await call('PUT', `webhooks/${known.id}`, webhook);
    else await call('POST', `organizations/${id}/webhooks`, { ...webhook, kind: 'standard' });
    await work({
      call,
      startMs,
      metrics: `${server.metrics}`,
      carryOut: async (shape, subject) => {
        const task = await carryOut(call, project, shape, subject);
        // As it is a day later: a pod that nobody uses is removed.
        await call('POST', `tasks/${task}/pod/stop`);
      },
    });
  } finally {
    await server.stop();
    told.close();
  }
}

const EVENT_TYPES = ['task.plan_waiting', 'task.merged', 'task.failed'];

interface Webhook {
  id: string;
  name: string;
}

export type Call = (method: string, path: string, body?: object) => Promise<Record<string, string>>;

const GIVE_UP_MS = 240_000;

/** A task from its message to its end, as a person goes through it. */
async function carryOut(
  call: Call,
  project: string,
  { cues, ends }: Shape,
  subject: string,
): Promise<string> {
  const message = `Add ${subject} ${cues}`;
  const { id = '' } = await call('POST', `projects/${project}/tasks`, { message });
  const shown = (...statuses: string[]) =>
    until(async () => {
      const { status = '' } = await call('GET', `tasks/${id}`);
      if (status === 'awaiting_answer' && !statuses.includes(status)) await answer(call, id);
      return statuses.includes(status);
    }, `${message} becomes ${statuses}`);
  await shown(ends === 'failed' ? 'failed' : 'awaiting_approval');
  if (ends === 'failed' || ends === 'waits') return id;
  await call('POST', `tasks/${id}/plan/approve`);
  await shown('ready');
  await call('POST', `tasks/${id}/pull-request`);
  await until(async () => {
    const { checks } = await call('GET', `tasks/${id}/pull-request`);
    return (checks as unknown as { state: string }).state === 'passed';
  }, `${message} is checked`);
  const { head_sha } = await call('GET', `tasks/${id}/pull-request`);
  await call('POST', `tasks/${id}/merge`, { expected_head_sha: head_sha });
  await until(
    async () => (await call('GET', `tasks/${id}/merge`)).state === 'merged',
    `${message} is merged`,
  );
  if (ends === 'archived') await call('PUT', `tasks/${id}`, { archived: true });
  return id;
}

async function answer(call: Call, task: string): Promise<void> {
  const requests = (await call('GET', `tasks/${task}/requests`)) as unknown as Request[];
  for (const { id, status, options } of requests)
    if (status === 'open')
      await call('POST', `tasks/${task}/requests/${id}/answer`, { option_id: options[0]?.id });
}

interface Request {
  id: string;
  status: string;
  options: { id: string }[];
}

/** With a check and a deploy. */
async function repository(bare: string): Promise<void> {
  const tree = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: tree,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  await writeFile(
    join(tree, '.guildhall.yml'),
    'checks:\n  - name: tests\n    run: echo all well\n    timeout_minutes: 1\n' +
      'deploy:\n  production: echo deployed\n',
  );
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  await mkdir(join(bare, '..'), { recursive: true });
  await cp(join(tree, '.git'), bare, { recursive: true });
  execFileSync('git', ['-C', bare, 'config', 'core.bare', 'true']);
  await rm(tree, { recursive: true });
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

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const began = Date.now(); !(await isSo()); await pause(50))
    if (Date.now() - began > GIVE_UP_MS) throw new Error(`for minutes it is not so: ${what}`);
}
