import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { sql } from '../db/sql.ts';
import { openPods, type ProcessPods } from '../platform/pods/open-pods.ts';
import type { PodDriver } from '../platform/pods/pod.ts';
import { sandboxAgent } from '../runner/agents/sandbox-agent.ts';
import { startAgent } from '../runner/agents/start-agent.ts';
import { type AgentRunnerOptions, agentRunner } from '../runner/worker/agent-runner.ts';
import { openEnvironments } from '../runner/worker/environment/environments.ts';
import { setupResults } from '../runner/worker/environment/setup-results.ts';
import { openRepositories } from '../runner/worker/repository.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';
import { until } from './until.ts';
import { workersOn } from './worker.ts';

/** The sandbox agent, whatever model a task has. */
export const agentOf: AgentRunnerOptions['agentOf'] = () => ({
  agent: sandboxAgent,
  provider: undefined,
  modelId: 'sandbox',
  model: 'sandbox',
  sessionModel: undefined,
  costOf: () => 0n,
});

const BYTES = { 'content-type': 'application/octet-stream' };

/**
 * For tests of what happens around a turn: workers with real agents in real pods of this machine.
 * `options` differ from the sandbox agent in pods that are confined where that is possible.
 */
export async function agentsAtWork(
  harness: Harness,
  options: Partial<AgentRunnerOptions & Pick<ProcessPods, 'sandbox'>> = {},
) {
  const { db, databaseUrl, files, request } = harness;
  const tasks = workersOn(harness);
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-at-work-'));
  await chmod(directory, 0o755); // as root, the users of pods have to pass
  const folders = { pods: join(directory, 'pods'), repositories: join(directory, 'repositories') };
  const pods = await openPods({
    driver: 'process',
    directory: folders.pods,
    sandbox: options.sandbox ?? 'preferred',
  });
  after(async () => {
    await Promise.all((await pods.list()).map(({ id }) => pods.destroy(id)));
    await pods.close();
    await rm(directory, { recursive: true, force: true });
  });
  const repositories = openRepositories(folders.repositories);
  const environments = openEnvironments(db, {
    driver: pods,
    directory: folders.repositories,
    results: setupResults(join(directory, 'setups'), { bytes: 64 * 1024 ** 2 }),
  });
  const runnerWith = (driver: PodDriver = pods) =>
    agentRunner(db, {
      pods: driver,
      startAgent,
      files,
      filesPerProject: 1e9,
      repositories,
      environments,
      agentOf,
      ...options,
    });

  /** A worker in this process. A lease that a busy machine does not let run out. */
  const work = (driver?: PodDriver) =>
    tasks.worker(runnerWith(driver).run, {
      times: { lease: 15_000, silence: 10_000, stop: 9_000 },
    });

  /** A worker in a process of its own, to be killed; its leases last two seconds. */
  async function workElsewhere({ hold = false } = {}) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'agent-process.ts'), folders.pods, folders.repositories],
      {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: databaseUrl,
          FILES: files.place,
          HOLD: hold ? '1' : '0',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await until('the worker has started', () => lines.includes('started'));
    const kill = async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    /** With `hold`: a build turn has done everything but end. */
    const held = () => until('the turn is held', () => lines.includes('held'), 30_000);
    return { kill, held };
  }

  /** Sends a message, with attachments by name. Returns the id of its turn. */
  async function send(
    { id, owner }: { id: string; owner: User },
    text: string,
    attached: Record<string, string> = {},
  ): Promise<string> {
    const { key } = owner;
    const ids: string[] = [];
    for (const [name, raw] of Object.entries(attached)) {
      const path = `/api/tasks/${id}/attachments?filename=${encodeURIComponent(name)}`;
      const { body } = await request('POST', path, { key, raw, headers: BYTES });
      ids.push(body.id);
    }
    const sent = await request('POST', `/api/tasks/${id}/messages`, {
      key,
      body: { text, attachment_ids: ids },
    });
    assert.equal(sent.status, 201, sent.text);
    const { turn } = await db.one<{ turn: string }>(sql`
      select turn_id as turn from task_message
       where task_id = ${id} and number = ${sent.body.number}`);
    return turn;
  }

  /** The text of the newest plan. */
  const planOf = async (taskId: string): Promise<string> =>
    (
      await db.one<{ body: string }>(sql`
        select r.body from plan l join plan_revision r using (task_id, version)
         where l.task_id = ${taskId}`)
    ).body;

  return { ...tasks, pods, repositories, folders, work, workElsewhere, send, planOf };
}
