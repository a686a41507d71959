import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitDirOf } from '../../../code/repositories/git.ts';
import { makeRepository } from '../../../code/repositories/make-repository.ts';
import { sql } from '../../../db/sql.ts';
import { gitWith } from '../../../testing/fixtures/code/git-client.ts';
import { agentsAtWork } from '../../../testing/fixtures/runner/agents-at-work.ts';
import { withoutSandbox } from '../../../testing/fixtures/runner/pods.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { startAgent } from '../../agents/start-agent.ts';

/** The setup of a task's pod, before its agent starts. */

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const told: (string | undefined)[] = [];
const at = await agentsAtWork(harness, {
  startAgent: async (options) => {
    const session = await startAgent(options);
    return {
      ...session,
      prompt: (text, instructions, files) => {
        told.push(instructions);
        return session.prompt(text, instructions, files);
      },
    };
  },
});
const options = { skip: await withoutSandbox(), timeout: 120_000 };

/** A project of which the main branch ignores what its setup makes. */
async function projectOf(setup: string): Promise<{ owner: User; project: string }> {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '100.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const gitDir = gitDirOf(at.folders.repositories, project);
  await makeRepository(gitDir);
  const git = (input: string, ...args: string[]) => gitWith(gitDir, input, ...args);
  const ignored = await git('made\n', 'hash-object', '-w', '--stdin');
  const tree = await git(`100644 blob ${ignored}\t.gitignore\n`, 'mktree');
  const commit = await git('', 'commit-tree', tree, '-m', 'Begin');
  await git('', 'update-ref', 'refs/heads/main', commit);
  await set(owner, project, setup);
  return { owner, project };
}

async function set(owner: User, project: string, setup: string): Promise<void> {
  const path = `/api/projects/${project}/environment`;
  const { status } = await request('PUT', path, {
    key: owner.key,
    body: { setup, cache: ['.gitignore'] },
  });
  assert.equal(status, 200);
}

async function taskOf({ owner, project }: { owner: User; project: string }) {
  return { id: await fixtures.task(project, owner), owner };
}

async function planned(task: { id: string; owner: User }): Promise<void> {
  await at.untilTurn(await at.send(task, 'Add a greeting'), 'done');
}

interface Setup {
  id: string;
  status: string;
  command: string;
  conclusion?: string;
  seconds?: number;
  log?: string;
  made?: { commit: string };
}

const setupsOf = async (taskId: string): Promise<Setup[]> =>
  (await at.eventsOf(taskId))
    .filter(({ type }) => type === 'setup')
    .map(({ type: _, ...payload }) => payload);

const podOf = (taskId: string) =>
  db.one<{ id: string; log: string | null; ready: boolean }>(sql`
    select p.id, l.content as log, set_up_at is not null as ready
      from pod p left join pod_log l on l.pod_id = p.id
     where p.task_id = ${taskId} order by generation desc limit 1`);

const SUCCEEDS = 'echo installing; echo 1 > made';

test(
  'it runs once before the first turn, and a second task gets what it has made',
  options,
  async () => {
    at.work();
    const project = await projectOf(SUCCEEDS);
    const first = await taskOf(project);
    await planned(first);
    await planned(first);
    const [began, ended, ...more] = await setupsOf(first.id);
    assert.deepEqual(began, { id: began?.id, status: 'running', command: SUCCEEDS });
    assert.deepEqual(
      { ...ended, seconds: 0 },
      {
        id: began?.id,
        status: 'ended',
        command: SUCCEEDS,
        conclusion: 'success',
        seconds: 0,
        log: 'installing\nIt ended with code 0.\n',
      },
    );
    assert.deepEqual(more, []);
    assert.match((await podOf(first.id)).log ?? '', /^Setup: echo installing; echo 1 > made\ninst/);
    const second = await taskOf(project);
    await planned(second);
    const [, restored] = await setupsOf(second.id);
    assert.equal(restored?.conclusion, 'restored');
    assert.match(
      restored?.log ?? '',
      /^Setup was taken from the cache \(made just now from commit/,
    );
    assert.equal(restored?.made?.commit.length, 40);
    const made = join(at.folders.pods, (await podOf(second.id)).id, 'work');
    assert.ok(existsSync(join(made, 'made')));
  },
);

test(
  'a failure is told to the person and to the agent, and it runs again before the next turn',
  options,
  async () => {
    at.work();
    told.length = 0;
    const project = await projectOf('echo no such package >&2; exit 4');
    const task = await taskOf(project);
    await planned(task);
    const [, failed] = await setupsOf(task.id);
    assert.deepEqual(
      [failed?.conclusion, failed?.log],
      ['failure', 'no such package\nIt ended with code 4.\n'],
    );
    assert.match(
      told[0] ?? '',
      /The setup of this environment has failed.*no such package\nIt ended with code 4/s,
    );
    assert.equal((await podOf(task.id)).ready, false);
    await set(project.owner, project.project, SUCCEEDS);
    await planned(task);
    assert.deepEqual(
      (await setupsOf(task.id)).map(({ conclusion }) => conclusion),
      [undefined, 'failure', undefined, 'success'],
    );
    assert.doesNotMatch(told[1] ?? '', /setup/);
    assert.equal((await podOf(task.id)).ready, true);
    // An agent had worked in that pod: the next task makes its own.
    const next = await taskOf(project);
    await planned(next);
    assert.equal((await setupsOf(next.id)).at(-1)?.conclusion, 'success');
  },
);

test(
  'in the pod of a task it runs again when its command or a file that it depends on has changed, and is kept for no one',
  options,
  async () => {
    at.work();
    const project = await projectOf(SUCCEEDS);
    const task = await taskOf(project);
    await planned(task);
    const ran = async () => (await setupsOf(task.id)).flatMap(({ conclusion = [] }) => conclusion);
    // A person pushes to the branch of the task: first another file, then the one that counts.
    const push = async (path: string, content: string) => {
      const gitDir = gitDirOf(at.folders.repositories, project.project);
      const git = (input: string, ...args: string[]) => gitWith(gitDir, input, ...args);
      const branch = `refs/heads/task/${task.id.slice(0, 8)}`;
      const parent = await git('', 'rev-parse', '--verify', branch).catch(() =>
        git('', 'rev-parse', 'refs/heads/main'),
      );
      const files = (await git('', 'ls-tree', parent))
        .split('\n')
        .filter((line) => !line.endsWith(`\t${path}`));
      const blob = await git(content, 'hash-object', '-w', '--stdin');
      const lines = [...files, `100644 blob ${blob}\t${path}`].map((line) => `${line}\n`);
      const tree = await git(lines.join(''), 'mktree');
      const commit = await git('', 'commit-tree', tree, '-p', parent, '-m', path);
      await git('', 'update-ref', branch, commit);
    };
    await push('a.txt', 'a\n');
    await planned(task);
    assert.deepEqual(await ran(), ['success']);
    await push('.gitignore', 'made\n# another package\n');
    await planned(task);
    assert.deepEqual(await ran(), ['success', 'success']);
    await planned(task);
    assert.deepEqual(await ran(), ['success', 'success']);
    await set(project.owner, project.project, `${SUCCEEDS}; echo 2 >> made`);
    await planned(task);
    await planned(task);
    assert.deepEqual(await ran(), ['success', 'success', 'success']);
    const next = await taskOf(project);
    await planned(next);
    assert.equal((await setupsOf(next.id)).at(-1)?.conclusion, 'success');
  },
);

test('a pod that was lost is set up again', options, async () => {
  at.work();
  const task = await taskOf(await projectOf(SUCCEEDS));
  await planned(task);
  await at.pods.destroy((await podOf(task.id)).id);
  await planned(task);
  const conclusions = (await setupsOf(task.id)).flatMap(({ conclusion = [] }) => conclusion);
  assert.deepEqual(conclusions, ['success', 'restored']);
});

test('a turn that is cancelled while its pod is set up ends it', options, async () => {
  at.work();
  const task = await taskOf(await projectOf('sleep 300'));
  const turn = await at.send(task, 'Add a greeting');
  await until('its setup runs', async () => (await setupsOf(task.id)).length > 0);
  const path = `/api/tasks/${task.id}/cancel`;
  assert.equal((await request('POST', path, { key: task.owner.key })).status, 202);
  await at.untilTurn(turn, 'cancelled');
});

test('a pod that is made anew for its setup counts as filled once it is', options, async () => {
  const environment = { image: undefined, setup: 'true', timeout: 1, cache: [], notices: [] };
  const other = await agentsAtWork(harness, {
    environments: {
      haveImages: false,
      of: async () => environment,
      nameOf: async () => 'setup',
      setUp: async (pod, _environment, _commit, { renew }) => ({ pod: (await renew?.()) ?? pod }),
    },
  });
  const task = await taskOf(await projectOf('true'));
  const filled = async () =>
    (
      await db.one<{ filled: boolean }>(sql`
        select filled_at is not null as filled from pod where task_id = ${task.id}`)
    ).filled;
  const whenMade: boolean[] = [];
  other.work({
    ...other.pods,
    create: async (id, image) => {
      whenMade.push(await filled());
      return other.pods.create(id, image);
    },
  });
  await other.untilTurn(await other.send(task, 'Add a greeting'), 'done');
  assert.deepEqual([whenMade, await filled()], [[false, false], true]);
});
