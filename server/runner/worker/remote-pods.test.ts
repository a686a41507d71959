import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { podDrivers } from '../../testing/fixtures/runner/pod-drivers.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { sandboxAgent } from '../agents/sandbox-agent.ts';
import { startAgent } from '../agents/start-agent.ts';
import { agentRunner } from './agent-runner.ts';
import { openRepositories } from './repository.ts';

/** The sandbox agent in pods that are elsewhere, from a message to a commit. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);

for (const { name, skip, make } of podDrivers.filter((driver) => driver.elsewhere))
  test(`${name}: a message becomes a plan, and its approval a commit`, { skip }, async (t) => {
    const pods = await make(t);
    const directory = `${pods.directory}-repositories`;
    after(() => rm(directory, { recursive: true, force: true }));
    const runner = agentRunner(db, {
      pods,
      startAgent,
      filesPerProject: 1e9,
      files: diskStore(join(directory, 'files')),
      repositories: openRepositories(directory),
      agentOf: () => ({
        agent: sandboxAgent,
        provider: undefined,
        modelId: 'sandbox',
        model: 'sandbox',
        sessionModel: undefined,
        costOf: () => 0n,
      }),
    });
    const { id, owner } = await tasks.task({ balance: '10.00' });
    tasks.worker(runner.run, { times: { lease: 30_000, silence: 20_000, stop: 9_000 } });
    await tasks.queue(id, 'plan', 'Add a greeting');
    await tasks.untilStatus(id, 'awaiting_approval');
    await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
    await tasks.untilStatus(id, 'ready');
    const { project_id } = await db.one<{ project_id: string }>(sql`
      select project_id from task where id = ${id}`);
    const repository = join(directory, project_id, 'main.git');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();
    assert.equal(git('log', '-1', '--format=%s', branchOf(id)), 'Turn 2');
    assert.notEqual(git('ls-tree', '-r', '--name-only', branchOf(id)), '');
  });
