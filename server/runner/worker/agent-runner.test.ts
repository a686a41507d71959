import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { makePods } from '../../testing/fixtures/runner/pods.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { sandboxAgent } from '../agents/sandbox-agent.ts';
import { startAgent } from '../agents/start-agent.ts';
import { agentRunner } from './agent-runner.ts';
import { openRepositories } from './repository.ts';

/** The sandbox agent in real pods, from a message to a commit. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);
const pods = await makePods({ after: (work) => after(work as () => void) });
const directory = join(pods.directory, '..', `${pods.directory.split('/').at(-1)}-repositories`);
const fakes = join(import.meta.dirname, '../../testing/fakes');
const scripted = (script: string) => ({
  id: script,
  command: 'node',
  args: [join(fakes, 'scripted-agent.ts'), script],
  env: {},
  readable: [fakes],
});
const SCRIPTS = ['torrent', 'fails', 'works'];
const runner = agentRunner(db, {
  pods,
  files: diskStore(join(directory, 'files')),
  filesPerProject: 1e9,
  startAgent,
  repositories: openRepositories(directory),
  agentOf: (model) =>
    model === 'gone'
      ? undefined
      : {
          agent: model !== null && SCRIPTS.includes(model) ? scripted(model) : sandboxAgent,
          provider: undefined,
          modelId: 'sandbox',
          model: 'sandbox',
          sessionModel: undefined,
          costOf: () => 0n,
        },
});
after(() => execFileSync('rm', ['-rf', directory]));

const work = () => tasks.worker(runner.run, { times: { stop: 9_000 } });

const agentsLeft = async () =>
  (await pods.list()).filter(({ state }) => state === 'running').map(({ id }) => id);

test('a message becomes a plan, and its approval a commit that is paid for', async () => {
  const { id, owner, workspace } = await tasks.task({ balance: '10.00' });
  work();
  await tasks.queue(id, 'plan', 'Add a greeting');
  await tasks.untilStatus(id, 'awaiting_approval');
  await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  await tasks.untilStatus(id, 'ready');

  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${id}`);
  const { turn, approver } = await db.one<{ turn: string; approver: string }>(sql`
    select u.id as turn, p.name as approver
      from task_turn u join app_user p on p.id = ${owner.id}
     where u.task_id = ${id} and u.kind = 'build'`);
  const format = '--format=%s%n%an <%ae>%n%cn%n%(trailers:only)';
  const commit = execFileSync(
    'git',
    ['-C', join(directory, project_id, 'main.git'), 'log', '-1', format, branchOf(id)],
    { encoding: 'utf8' },
  );
  assert.deepEqual(commit.trim().split('\n'), [
    'Turn 2',
    'sandbox <sandbox@localhost>',
    'Guildhall',
    `Approved-by: ${approver}`,
    `Guildhall-Turn: ${turn}`,
  ]);
  const types = (await tasks.eventsOf(id)).map(({ type }) => type);
  for (const type of ['message', 'tool_call', 'usage', 'commit', 'turn_ended'])
    assert.ok(types.includes(type), type);
  const { spent } = await db.one<{ spent: bigint }>(sql`
    select sum(spent_nano)::bigint as spent from task_turn where task_id = ${id}`);
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  // The agent reports $0.007 for the whole session at its end: the plan is not paid for twice.
  assert.equal(spent, 7_000_000n);
  assert.deepEqual([balance, held], [10_000_000n - 7_000n, 0n]);
  assert.deepEqual((await auditLedger(db)).violations, []);
  assert.deepEqual(await agentsLeft(), []);
});

test('a question of the agent waits for a person', async () => {
  const { id, owner } = await tasks.task();
  work();
  await tasks.queue(id, 'plan', 'Add a greeting [[ask]]');
  await tasks.untilStatus(id, 'awaiting_answer');
  const asked = await db.one<{ options: { id: string }[] }>(sql`
    select options from agent_request where task_id = ${id}`);
  await db.many(sql`
    update agent_request
       set state = 'answered', ended_at = now(), answered_by_user_id = ${owner.id},
           answer_option_id = ${asked.options[0]?.id ?? null},
           answer_text = ${asked.options.length === 0 ? 'Yes' : null}
     where task_id = ${id}`);
  await tasks.untilStatus(id, 'awaiting_approval');
});

test('a failure of the agent is published, and a model that is gone is named', async () => {
  const { id } = await tasks.task();
  work();
  const failing = await tasks.queue(id, 'plan', 'Fail [[fail]]');
  await tasks.untilTurn(failing, 'failed');
  assert.notEqual((await tasks.status(id)).reason, null);
  await db.many(sql`update task set model = 'gone' where id = ${id}`);
  const gone = await tasks.queue(id, 'plan', 'Go on');
  await tasks.untilTurn(gone, 'failed');
  assert.match((await tasks.status(id)).reason ?? '', /model gone is not offered/);
});

test('a task without a model has that of its project', async () => {
  const { id } = await tasks.task();
  await db.many(sql`
    update project set default_model = 'gone'
     where id = (select project_id from task where id = ${id})`);
  work();
  await tasks.untilTurn(await tasks.queue(id, 'plan', 'Add a greeting'), 'failed');
  assert.match((await tasks.status(id)).reason ?? '', /model gone is not offered/);
});

test('an agent that writes without end fails its turn, and no process of it is left', async () => {
  const { id } = await tasks.task();
  await db.many(sql`update task set model = 'torrent' where id = ${id}`);
  work();
  await tasks.untilTurn(await tasks.queue(id, 'plan', 'Go on'), 'failed');
  assert.match((await tasks.status(id)).reason ?? '', /wrote more than a turn may/);
  assert.deepEqual(await agentsLeft(), []);
});

for (const [model, told] of [
  ['fails', 1],
  ['works', 0],
] as const)
  test(`a build turn that changed nothing, with an agent whose tool ${model}: ${told} notice`, async () => {
    const { id, owner } = await tasks.task();
    await db.many(sql`update task set model = ${model} where id = ${id}`);
    work();
    await tasks.queue(id, 'plan', 'Add a greeting');
    await tasks.untilStatus(id, 'awaiting_approval');
    await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
    await tasks.untilStatus(id, 'ready');
    // These agents begin each turn in a new session, which is a notice as well.
    const notices = (await tasks.eventsOf(id)).filter(
      ({ type, text }) => type === 'notice' && !text.startsWith('The agent begins a new session'),
    );
    assert.equal(notices.length, told);
    for (const { text } of notices) assert.match(String(text), /failed, and nothing was changed/);
  });

test('a slow agent is cancelled, and no process of it is left', async () => {
  const { id } = await tasks.task();
  work();
  const turn = await tasks.queue(id, 'plan', 'Take your time [[slow]]');
  await tasks.untilStatus(id, 'planning');
  await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
  await tasks.untilTurn(turn, 'cancelled');
  assert.deepEqual(await agentsLeft(), []);
});
