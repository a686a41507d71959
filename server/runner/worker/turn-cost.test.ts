import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { after, test } from 'node:test';
import { diskStore } from '../../platform/files/disk-store.ts';
import { type Program, STARTED } from '../../platform/launcher/launcher.ts';
import { watchStatements } from '../../testing/database/statements.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { agentsInProcess } from '../../testing/fixtures/runner/agents-in-process.ts';
import { makePods } from '../../testing/fixtures/runner/pods.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { sandboxAgent } from '../agents/sandbox-agent.ts';
import { startAgent } from '../agents/start-agent.ts';
import { agentRunner } from './agent-runner.ts';
import { openRepositories } from './repository.ts';

/**
 * What a turn costs is processes of git and round trips, counted and not timed. A change that makes
 * one grow fails, and one that makes it shrink lowers the figure.
 */
const PROGRAMS = { first: 6, next: 2, build: 12, merge: 10 };

/**
 * At most: how many batches the events of an agent are appended in depends on the machine, and a
 * worker looks for work beside its turns.
 */
const ROUND_TRIPS = { next: 80, build: 90, merge: 3 };

let programs = 0;
let trips = 0;
subscribe(STARTED, (program) => {
  if ((program as Program).file === 'git') programs += 1;
});
watchStatements(() => {
  trips += 1;
});

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);
const pods = agentsInProcess(
  await makePods({ after: (work) => after(work as () => void) }, { sandbox: 'off' }),
);
const runner = agentRunner(db, {
  pods,
  files: diskStore(harness.repositories),
  filesPerProject: 1e9,
  startAgent,
  repositories: openRepositories(harness.repositories),
  agentOf: () => ({
    agent: sandboxAgent,
    provider: undefined,
    modelId: 'sandbox',
    model: 'sandbox',
    sessionModel: undefined,
    costOf: () => 0n,
  }),
});
const { work: carryOutMerges } = await mergesOn(harness);
const HOUR = 3_600_000;
const TIMES = { poll: HOUR, beat: 60_000, funds: HOUR, changes: HOUR, lease: 180_000 };

/** What happens meanwhile. */
async function counted(work: () => Promise<unknown>) {
  const before = { programs, trips };
  await work();
  return { programs: programs - before.programs, trips: trips - before.trips };
}

test('a turn starts so many processes of git, and makes so many round trips', async () => {
  const { id, owner } = await tasks.task({ balance: '10.00' });
  let ran = 0;
  const run: typeof runner.run = (turn, work) =>
    runner.run(turn, work).finally(() => {
      ran += 1;
    });
  const worker = tasks.worker(run, { times: { ...TIMES, silence: 120_000, stop: 9_000 } });
  const call = async (method: 'GET' | 'POST', path: string, body = {}) => {
    const reply = await request(method, `/api/tasks/${id}/${path}`, {
      key: owner.key,
      ...(method === 'POST' ? { body } : {}),
    });
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };
  const turn = (path: string, body = {}) =>
    counted(async () => {
      await call('POST', path, body);
      const before = ran;
      worker.wake();
      // Asking the database would be counted.
      await until('turn over', () => ran > before && worker.running() === 0, 300_000);
    });
  const first = await turn('messages', { text: 'Add a greeting' });
  const next = await turn('messages', { text: 'Add a greeting to a file' });
  const build = await turn('plan/approve');
  await call('POST', 'pull-request');
  const { head_sha } = await call('GET', 'pull-request');
  await call('POST', 'merge', { expected_head_sha: head_sha });
  const merge = await counted(carryOutMerges);
  assert.equal((await call('GET', 'merge')).state, 'merged');
  // Two of the first make the repository.
  assert.deepEqual(
    [first.programs, next.programs, build.programs, merge.programs],
    [PROGRAMS.first, PROGRAMS.next, PROGRAMS.build, PROGRAMS.merge],
  );
  assert.ok(next.trips <= ROUND_TRIPS.next, `${next.trips} round trips of a plan turn`);
  assert.ok(build.trips <= ROUND_TRIPS.build, `${build.trips} round trips of a build turn`);
  assert.equal(merge.trips, ROUND_TRIPS.merge);
});
