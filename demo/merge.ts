import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoClient } from './client.ts';
import type { Person, Tenant } from './tenant.ts';

interface OfTask extends Pick<Tenant, 'project'> {
  /** Its id, and its last event. */
  task: { id: string; last: number };
}

/** A task that is built, from its pull request to its deploy, and a clone of the branch. */
export async function mergeTask(
  client: DemoClient,
  carol: Person,
  { project, task: { id: taskId, last } }: OfTask,
): Promise<void> {
  const task = `/api/tasks/${taskId}`;
  const { head_sha } = await client.send<{ head_sha: string }>({
    title: 'Open the pull request of the task',
    as: carol,
    method: 'POST',
    path: `${task}/pull-request`,
    promised: { status: 201, body: { number: 1, state: 'open', base: 'main' } },
  });
  await client.send({
    title: 'See that it can be merged',
    as: carol,
    method: 'GET',
    path: `${task}/pull-request`,
    promised: { status: 200, body: { head_sha, mergeable: true, conflicts: [] } },
  });
  await client.send({
    title: 'Merge the commit that she has seen: Carol administers the project that she has created',
    as: carol,
    method: 'POST',
    path: `${task}/merge`,
    body: { expected_head_sha: head_sha },
    promised: { status: 200, body: { branch: 'main', stage: 'production' } },
  });
  await client.poll({
    title: 'See what came of it',
    as: carol,
    path: `${task}/merge`,
    until: { state: 'merged' },
  });
  await client.watch({
    title: 'Watch what happened since it was built, until the merge is deployed',
    as: carol,
    path: `${task}/events`,
    after: last,
    until: { type: 'deploy', state: 'success' },
  });
  await client.send({
    title: 'See the deploys of the project',
    as: carol,
    method: 'GET',
    path: `/api/projects/${project}/deploys`,
    promised: { status: 200, body: [{ branch: 'main', stage: 'production', state: 'success' }] },
  });
  await clone(client, project, carol.key);
}

const run = promisify(execFile);

/** Clones the repository over HTTP with the key as the password. */
async function clone(client: DemoClient, project: string, key: string): Promise<void> {
  const address = `${client.url}/git/${project}/main.git`;
  client.begin('Clone the repository: the change is there');
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
    client.show(`git clone ${address} shop`, 'git -C shop log --graph --oneline');
    client.show(...shown.split('\n'));
    const greeting = await git('-C', 'shop', 'show', 'HEAD:notes/greeting.md');
    assert.notEqual(greeting, '');
    client.show('cat shop/notes/greeting.md', ...greeting.split('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
