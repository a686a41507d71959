import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Person, Presenter } from './presenter.ts';
import type { Tenant } from './tenant.ts';

interface OfTask extends Pick<Tenant, 'project'> {
  /** Its id, and its last event. */
  task: { id: string; last: number };
}

/** A task that is built, from its pull request to its deploy, and a clone of the branch. */
export async function mergeTask(
  presenter: Presenter,
  carol: Person,
  { project, task: { id: task_id, last } }: OfTask,
): Promise<void> {
  const { head_sha } = await presenter.send({
    title: 'Open the pull request of the task',
    as: carol,
    call: (guildhall) => guildhall.post('/api/tasks/{task_id}/pull-request', { task_id }),
    promised: { status: 201, body: { number: 1, state: 'open', base: 'main' } },
  });
  await presenter.send({
    title: 'See that it can be merged',
    as: carol,
    call: (guildhall) => guildhall.get('/api/tasks/{task_id}/pull-request', { task_id }),
    promised: { status: 200, body: { head_sha, mergeable: true, conflicts: [] } },
  });
  await presenter.send({
    title: 'Merge the commit that she has seen: Carol administers the project that she has created',
    as: carol,
    call: (guildhall) =>
      guildhall.post('/api/tasks/{task_id}/merge', {
        task_id,
        body: { expected_head_sha: head_sha as string },
      }),
    promised: { status: 200, body: { branch: 'main', stage: 'production' } },
  });
  await presenter.poll({
    title: 'See what came of it',
    as: carol,
    call: (guildhall) => guildhall.get('/api/tasks/{task_id}/merge', { task_id }),
    until: { state: 'merged' },
  });
  await presenter.watch({
    title: 'Watch what happened since it was built, until the merge is deployed',
    as: carol,
    taskId: task_id,
    after: last,
    until: { type: 'deploy', state: 'success' },
  });
  await presenter.send({
    title: 'See the deploys of the project',
    as: carol,
    call: (guildhall) =>
      guildhall.get('/api/projects/{project_id}/deploys', { project_id: project }),
    promised: { status: 200, body: [{ branch: 'main', stage: 'production', state: 'success' }] },
  });
  await clone(presenter, project, carol.key);
}

const run = promisify(execFile);

/** Clones the repository over HTTP with the key as the password. */
async function clone(presenter: Presenter, project: string, key: string): Promise<void> {
  const address = `${presenter.url}/git/${project}/main.git`;
  presenter.begin('Clone the repository: the change is there');
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-demo-'));
  // Not synchronously: the server is in this process.
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('git', args, {
      cwd: folder,
      timeout: 60_000,
      // Not as an argument, which other users of the machine could read.
      env: {
        ...process.env,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'http.extraHeader',
        GIT_CONFIG_VALUE_0: `Authorization: Bearer ${key}`,
      },
    });
    return stdout.trimEnd();
  };
  try {
    await git('clone', '--quiet', address, 'shop');
    const shown = await git('-C', 'shop', 'log', '--graph', '--oneline', '--no-color');
    presenter.show(`git clone ${address} shop`, 'git -C shop log --graph --oneline');
    presenter.show(...shown.split('\n'));
    const greeting = await git('-C', 'shop', 'show', 'HEAD:notes/greeting.md');
    assert.notEqual(greeting, '');
    presenter.show('cat shop/notes/greeting.md', ...greeting.split('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
