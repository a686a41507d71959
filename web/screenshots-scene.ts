import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '../client/src/index.ts';

/** A project of the demo, and who works on it. */
interface Scene {
  guildhall: Client;
  url: string;
  key: string;
  workspace: string;
  project: string;
  card: string;
}

const PATIENCE_MS = 60_000;

const CHECKS = `checks:
  - name: tests
    run: echo "12 tests have passed"
  - name: lint
    run: echo "line 4 is too long" && exit 1
`;

/** Names that a page has to have room for. */
export async function addLongNames({ guildhall, project, workspace }: Scene): Promise<void> {
  const names = [
    'نظام إدارة المخزون والمبيعات للشركة العربية المتحدة للتجارة والتوزيع',
    'Internationale Warenwirtschaftsverwaltungsgesellschaft mit sehr langem Namen',
  ];
  for (const name of names)
    await guildhall.post('/api/projects', {
      body: { name, organization_id: workspace, erp_version: '19.0', erp_edition: 'community' },
    });
  await guildhall.post('/api/projects/{project_id}/invitations', {
    project_id: project,
    body: {
      email: `${'a.very.long.name.'.repeat(3)}of.a.person@example-of-a-long-domain.com`,
      role: 'viewer',
    },
  });
  const { name } = await guildhall.get('/api/account');
  await guildhall.put('/api/projects/{project_id}', {
    project_id: project,
    body: { name: `Shop of ${name}: wholesale, retail and returns in all countries of the Union` },
  });
  await guildhall.post('/api/projects/{project_id}/tasks', {
    project_id: project,
    body: { message: 'إضافة موافقة المدير على أوامر البيع التي تزيد قيمتها على ألف يورو' },
  });
}

/** Two connections to Odoo, one of which is active in a task. */
export async function addConnections(
  { guildhall, project: project_id }: Scene,
  odoo: { url: string; key(name: string): string },
  task_id: string,
): Promise<void> {
  const server = { url: odoo.url, database: 'main', kind: 'api_key' as const };
  const add = (name: string, environment: 'production' | 'staging', key: string) =>
    guildhall.post('/api/projects/{project_id}/odoo-connections', {
      project_id,
      body: { ...server, name, environment, login: key, secret: odoo.key(key) },
    });
  const { id } = await add('Staging', 'staging', 'clerk');
  await add('Shop', 'production', 'admin');
  await guildhall.put('/api/tasks/{task_id}/odoo-connections/{connection_id}', {
    task_id,
    connection_id: id,
  });
}

/** A task in each state that its page shows in another way: their ids by the name of the state. */
export async function makeTasks(scene: Scene): Promise<Record<string, string>> {
  const { guildhall, workspace: org_id, card } = scene;
  await guildhall.post('/api/organizations/{org_id}/billing/add-funds', {
    org_id,
    body: { amount: 20, payment_method_id: card },
  });
  const [approval, question, ready, checked, merged] = await Promise.all([
    begin(scene, 'Sale orders above 1,000 euros need the approval of a manager', false),
    ask(scene),
    begin(scene, 'Print the delivery address in the language of the customer', true),
    begin(scene, 'Show the margin of each line to managers', true),
    begin(scene, 'Send a reminder three days before a quotation ends', true),
  ]);
  await withChecks(scene, checked);
  await merge(scene, merged);
  return { approval, question, ready, 'pull-request': checked, merged };
}

async function begin(scene: Scene, message: string, build: boolean): Promise<string> {
  const { guildhall, project: project_id } = scene;
  const { id } = await guildhall.post('/api/projects/{project_id}/tasks', {
    project_id,
    body: { message },
  });
  await until(scene, id, 'awaiting_approval');
  if (!build) return id;
  await guildhall.post('/api/tasks/{task_id}/plan/approve', { task_id: id });
  await until(scene, id, 'ready');
  return id;
}

async function ask(scene: Scene): Promise<string> {
  const { id } = await scene.guildhall.post('/api/projects/{project_id}/tasks', {
    project_id: scene.project,
    body: { message: 'Add a discount for loyal customers [[ask]]' },
  });
  await until(scene, id, 'awaiting_answer');
  return id;
}

const until = (scene: Scene, task_id: string, status: string): Promise<void> =>
  patiently(`task ${task_id} is ${status}`, async () => {
    const task = await scene.guildhall.get('/api/tasks/{task_id}', { task_id });
    if (task.status === 'failed' || task.status === 'paused')
      throw new Error(`the task is ${task.status}, not ${status}: ${task.status_reason}`);
    return task.status === status;
  });

async function patiently(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await setTimeout(200);
  }
}

/** A pull request with a check that passes and one that fails. */
async function withChecks(scene: Scene, task_id: string): Promise<void> {
  await pushChecks(scene, `task/${task_id.slice(0, 8)}`);
  await scene.guildhall.post('/api/tasks/{task_id}/pull-request', { task_id });
  await patiently('the checks have ended', async () => {
    const checks = await scene.guildhall.get('/api/tasks/{task_id}/pull-request/checks', {
      task_id,
    });
    return checks.length > 1 && checks.every(({ state }) => state === 'completed');
  });
}

async function merge({ guildhall }: Scene, task_id: string): Promise<void> {
  const { head_sha } = await guildhall.post('/api/tasks/{task_id}/pull-request', { task_id });
  await guildhall.post('/api/tasks/{task_id}/merge', {
    task_id,
    body: { expected_head_sha: head_sha as string },
  });
  await patiently('the task is merged', async () => {
    const { state } = await guildhall.get('/api/tasks/{task_id}/merge', { task_id });
    return state === 'merged';
  });
}

const run = promisify(execFile);

async function pushChecks({ url, project, key }: Scene, branch: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-screenshots-'));
  const git = (...args: string[]) =>
    run('git', args, {
      cwd: folder,
      timeout: PATIENCE_MS,
      env: {
        ...process.env,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'http.extraHeader',
        GIT_CONFIG_VALUE_0: `Authorization: Bearer ${key}`,
      },
    });
  try {
    await git('clone', '-q', '-b', branch, `${url}/git/${project}/main.git`, '.');
    await writeFile(join(folder, '.guildhall.yml'), CHECKS);
    await git('add', '.guildhall.yml');
    const author = ['-c', 'user.name=Ada Byron', '-c', 'user.email=ada@example.com'];
    await git(...author, 'commit', '-q', '-m', 'Say how commits are checked');
    await git('push', '-q', 'origin', branch);
  } finally {
    await rm(folder, { recursive: true });
  }
}
