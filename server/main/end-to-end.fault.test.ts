import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { branchOf } from '../code/repositories/git.ts';
import { sql } from '../db/sql.ts';
import { addressOf, folder, git } from '../testing/fixtures/code/git-client.ts';
import {
  connectInstallation,
  environmentOf,
  startGithub,
} from '../testing/fixtures/code/github.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import type { Served } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';

/**
 * The whole road on both hosts, over HTTP: a message becomes a plan, a build, a pull request with
 * checks, a merge and a deploy. After each step the server, which is its own worker, is killed while
 * it works on what the step has begun, and another one goes on.
 */

const fake = await startGithub();
const tasks = await taskServers();
const { db, owner, workspace } = tasks;

/** Lets everything run out that a killed server had, as half a minute would. */
async function expire(): Promise<void> {
  await tasks.expireLeases();
  await db.many(sql`
    update check_suite set held_until = now() - interval '1 second' where held_until is not null`);
  await db.many(sql`
    update deploy set held_until = now() - interval '1 second' where held_until is not null`);
  await db.many(sql`update merge set not_before = now() where state = 'queued'`);
}

/** A server that is there until it is killed in the middle of its work. */
async function begin() {
  const start = () => tasks.serve([], environmentOf(fake));
  let server: Served = await start();
  const call = <Answer>(method: string, path: string, body?: object) =>
    tasks.call<Answer>(server, method, path, body);
  return {
    call,
    url: () => server.url,
    /** Asks for something, and kills the server a moment later. */
    async killedAfter<Answer>(method: string, path: string, body?: object): Promise<Answer> {
      const answer = await call<Answer>(method, path, body);
      await pause(Math.random() * 1_000);
      server.child.kill('SIGKILL');
      await once(server.child, 'exit');
      await expire();
      server = await start();
      fake.webhook(`${server.url}/webhooks/github`);
      return answer;
    },
    async end() {
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
    },
  };
}

interface Pull {
  head_sha: string;
  checks: { state: string };
}
type Merge = { state: string; merge_commit_sha: string };
type Deploy = { state: string; commit_sha: string; stage: string };

for (const host of ['local', 'github'] as const)
  test(`${host}: from a message to a deploy, with the server killed at every step`, async () => {
    const { call, killedAfter, url, end } = await begin();
    const project = await call<{ id: string }>('POST', 'projects', {
      name: `Road ${host}`,
      organization_id: workspace,
      erp_version: '19.0',
      erp_edition: 'community',
    });
    const shop =
      host === 'github'
        ? await fake.addRepository('acme/road', { defaultBranch: '19.0' })
        : undefined;
    if (shop !== undefined) {
      const acme = fake.install('acme');
      await connectInstallation(db, acme, { organizationId: workspace });
      await call('POST', `projects/${project.id}/repositories`, {
        host: 'github',
        full_name: 'acme/road',
      });
    }

    const made = await killedAfter<{ id: string }>('POST', `projects/${project.id}/tasks`, {
      message: 'Write notes/road.md',
    });
    const task = `tasks/${made.id}`;
    await tasks.untilStatus(made.id, 'awaiting_approval');
    await killedAfter('POST', `${task}/plan/approve`);
    await tasks.untilStatus(made.id, 'ready');

    if (shop === undefined) await pushBuildFile(addressOf(url(), project.id, owner.key), made.id);
    await killedAfter('POST', `${task}/pull-request`);
    const pull = () => call<Pull>('GET', `${task}/pull-request`);
    if (shop !== undefined) {
      await until('the head is known', async () => (await pull()).head_sha !== undefined, 30_000);
      fake.check(shop, (await pull()).head_sha, { name: 'tests', conclusion: 'success' });
      await fake.deliver();
    }
    await until('the checks have passed', passed, 60_000);
    async function passed() {
      return (await pull()).checks.state === 'passed';
    }

    const { head_sha: expected_head_sha } = await pull();
    await killedAfter('POST', `${task}/merge`, { expected_head_sha });
    const merge = () => call<Merge>('GET', `${task}/merge`);
    await until('merged', async () => (await merge()).state === 'merged', 60_000);
    const { merge_commit_sha: commit } = await merge();
    if (shop !== undefined) {
      assert.equal(shop.branches.get('19.0'), commit);
      const deployment = fake.deploy(shop, { ref: commit });
      fake.deployStatus(shop, deployment, 'success');
      await fake.deliver();
    }
    const deploys = () => call<Deploy[]>('GET', `projects/${project.id}/deploys`);
    await until('deployed', async () => (await deploys())[0]?.state === 'success', 60_000);
    const [deploy, ...others] = await deploys();
    assert.deepEqual([deploy?.commit_sha, deploy?.stage, others], [commit, 'production', []]);

    const clone = join(await folder(), 'clone');
    const from = shop?.gitDir ?? addressOf(url(), project.id, owner.key);
    await git('/', 'clone', '--quiet', from, clone);
    assert.match(await git(clone, 'show', 'HEAD:notes/road.md'), /road/);
    const merges = await git(clone, 'log', '--merges', '--format=%H', '--grep=Merged-by');
    assert.equal(merges, commit, 'one merge');
    const turns = await db.many(sql`
      select kind, state from task_turn where task_id = ${made.id} order by number`);
    assert.deepEqual(turns, [
      { kind: 'plan', state: 'done' },
      { kind: 'build', state: 'done' },
    ]);
    await end();
  });

/** What a person adds, because tasks of a new project begin with an empty repository. */
async function pushBuildFile(address: string, taskId: string): Promise<void> {
  const clone = join(await folder(), 'clone');
  await git('/', 'clone', '--quiet', '--branch', branchOf(taskId), address, clone);
  const file =
    'checks:\n  - name: tests\n    run: sleep 1 && test -s notes/road.md\n' +
    'deploy:\n  production: sleep 1 && echo deployed\n';
  await writeFile(join(clone, '.guildhall.yml'), file);
  await git(clone, 'add', '--all');
  await git(clone, 'commit', '--quiet', '--message', 'Check and deploy');
  await git(clone, 'push', '--quiet', 'origin', 'HEAD');
}
