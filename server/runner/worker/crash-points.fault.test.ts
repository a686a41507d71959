import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { openPods } from '../../platform/pods/open-pods.ts';
import { writingAgent } from '../../testing/fakes/writing-agent.ts';
import { agentOf } from '../../testing/fixtures/runner/agents-at-work.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { dyingWorkers } from '../../testing/processes/start-program.ts';
import { agentRunner } from './agent-runner.ts';
import { publishForgotten } from './publish-ends.ts';
import { openRepositories } from './repository.ts';

/**
 * An approved plan is started exactly once, although its worker is killed with SIGKILL: before each
 * statement, commit, and call of the event log, the pod, the agent or the repository, from the
 * start in the outbox to the published end of the build. Another worker goes on.
 */

const harness = await startHarness({ own: true });
const { db, databaseUrl, fixtures, files, request } = harness;
const tasks = workersOn(harness);
const parent = await mkdtemp(join(tmpdir(), 'guildhall-crash-'));
await chmod(parent, 0o755);
after(() => rm(parent, { recursive: true, force: true }));

/** A task whose plan was approved, in a repository with a file, and folders of its own. */
async function approvedTask() {
  const { id, owner, workspace } = await tasks.task({ balance: '10.00' });
  const { projectId } = await db.one<{ projectId: string }>(sql`
    select project_id as "projectId" from task where id = ${id}`);
  const folder = join(parent, id);
  const workTree = join(folder, 'before');
  await mkdir(workTree, { recursive: true });
  await writeFile(join(workTree, 'README'), 'It was there before.');
  const place = { projectId, taskId: id, workTree };
  await openRepositories(join(folder, 'repositories')).commit(place, 'Before');
  await fixtures.revision(id, 'The plan');
  const approved = await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  assert.equal(approved.status, 200);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', join(folder, 'repositories', projectId, 'main.git'), ...args], {
      encoding: 'utf8',
    }).trim();
  const prompts = () =>
    existsSync(join(folder, 'prompts'))
      ? readFileSync(join(folder, 'prompts'), 'utf8').trim().split('\n')
      : [];
  return { id, workspace, folder, git, prompts };
}

type Task = Awaited<ReturnType<typeof approvedTask>>;

const dying = dyingWorkers('dying-worker.ts', databaseUrl);
after(dying.kill);

/** Runs the worker that dies before this step; without one, until the end of the turn. */
async function runDying({ id, folder }: Task, dieAt?: number): Promise<void> {
  const { child, exited } = await dying.order({ folder, dieAt });
  if (dieAt === undefined) {
    await untilEnded(id);
    child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
}

// A busy machine takes its time to start programs.
const untilReady = (id: string) =>
  until('it is ready', async () => (await tasks.status(id)).status === 'ready', 60_000);

const untilEnded = async (id: string) => {
  await untilReady(id);
  const { turn } = await db.one<{ turn: string }>(sql`
    select id as turn from task_turn where task_id = ${id}`);
  await tasks.untilPublished(turn);
};

/** Another worker, once the lease of the one that was killed has ended. */
async function goOn({ id, folder }: Task): Promise<void> {
  await db.many(sql`
    update task_turn set lease_until = now() where task_id = ${id} and lease_until is not null`);
  const pods = await openPods({
    driver: 'process',
    directory: join(folder, 'pods'),
    sandbox: 'off',
  });
  const { run } = agentRunner(db, {
    pods,
    files,
    filesPerProject: 1e9,
    agentOf,
    startAgent: writingAgent(join(folder, 'prompts')),
    repositories: openRepositories(join(folder, 'repositories')),
  });
  const worker = tasks.worker(run);
  await untilReady(id);
  await publishForgotten(db, tasks.events, { owner: randomUUID(), after: 0 });
  await untilEnded(id);
  await worker.close();
  await pods.close();
}

async function check({ id, workspace, git, prompts }: Task): Promise<void> {
  const turns = await db.many<{ id: string; attempt: number; spent: bigint }>(sql`
    select id, kind, state, source, attempt, spent_nano as spent
      from task_turn where task_id = ${id}`);
  assert.deepEqual(turns, [{ ...turns[0], kind: 'build', state: 'done', source: `plan:${id}:1` }]);
  const [{ attempt = 0, spent = 0n } = {}] = turns;
  // A worker may die before its agent is asked, but it never asks twice in one attempt.
  assert.ok(prompts().length >= 1 && prompts().length <= attempt, `${prompts()}`);
  assert.deepEqual(new Set(prompts()), new Set(['"The plan"']));

  const events = await tasks.eventsOf(id);
  const of = (type: string) => events.filter((event) => event.type === type);
  const started = of('turn_started').map((event) => event.attempt);
  assert.deepEqual(started, [...new Set(started)], 'a start is published once for each attempt');
  assert.deepEqual(
    of('turn_ended').map(({ number, state }) => [number, state]),
    [[1, 'done']],
  );
  assert.equal(of('status').filter(({ status }) => status === 'ready').length, 1);
  assert.deepEqual(
    of('commit').map((event) => event.id),
    [git('rev-parse', branchOf(id))],
    'the commit is published once',
  );
  assert.equal(git('log', '--format=%s', branchOf(id)), 'Turn 1\nBefore\nBegin');
  assert.equal(git('ls-tree', '--name-only', branchOf(id)), 'README\nwork.txt');
  const messages = await db.many(sql`select content from task_message where task_id = ${id}`);
  assert.deepEqual(messages, [{ content: 'Done' }]);

  // What an agent has cost is charged for each time that it said so, and nothing stays held.
  assert.ok(spent >= 10_000_000n && spent <= 10_000_000n * BigInt(prompts().length), `${spent}`);
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  assert.deepEqual([balance, held], [10_000_000n - spent / 1_000n, 0n]);
  assert.deepEqual((await auditLedger(db)).violations, []);
}

const whole = await approvedTask();
await runDying(whole);
const steps = readFileSync(join(whole.folder, 'steps'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { name: string; same: boolean });
// All steps, or only those before which something has changed since the step before.
const ALL = process.env.GUILDHALL_TEST_CRASH_POINTS === 'all';

test('a worker that lives starts the build, and it ends once', async () => {
  await check(whole);
  for (const step of ['events.acquire', 'pods.create', 'startAgent', 'agent.prompt', 'commit'])
    assert.ok(
      steps.some(({ name }) => name === step),
      step,
    );
});

for (const [index, { name, same }] of steps.entries())
  if (ALL || !same)
    test(`killed before step ${index + 1}, ${name.slice(0, 60)}: the build is started once, and ends once`, async () => {
      const task = await approvedTask();
      await runDying(task, index + 1);
      await goOn(task);
      await check(task);
    });
