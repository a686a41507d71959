import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pino } from 'pino';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { OtherRelease, type PodDriver, PodError, type PodState } from '../../platform/pods/pod.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { podKeeper } from './keep-pods.ts';
import { findLostPods } from './lost-pods.ts';

/** A driver that does not answer, or says that a pod is gone. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const at = await agentsAtWork(harness);

/** The pods of this machine behind a network that fails. */
let away: 'no' | 'silent' | 'gone' | 'drained' | 'exceeded' | 'upgraded' | 'without' = 'no';
const status = (id: string, state: PodState) => ({
  id,
  state,
  externalId: undefined,
  reason: undefined,
});
const EXCEEDED = 'It used more than 4 GiB of memory.';
const unavailable = () => Promise.reject(new PodError('unavailable', 'no answer'));
const driver: PodDriver = {
  ...at.pods,
  find: async (id) => {
    if (away === 'silent') return status(id, 'unknown');
    if (away === 'drained') return status(id, 'destroying');
    if (away === 'exceeded') return { ...status(id, 'paused'), exceeded: EXCEEDED };
    return away === 'gone' && id === gone ? status(id, 'absent') : at.pods.find(id);
  },
  attach(id) {
    if (away === 'silent') return unavailable();
    const other = away === 'without' || (away === 'upgraded' && id === gone);
    return other ? Promise.reject(new OtherRelease('agent:1', {})) : at.pods.attach(id);
  },
  pause: (id) => (away === 'silent' ? unavailable() : at.pods.pause(id)),
};
let gone = '';

const keepers: ReturnType<typeof podKeeper>[] = [];
function work() {
  at.work(driver);
  const keeper = podKeeper(db, {
    driver,
    repositories: at.repositories,
    log: pino({ level: 'silent' }),
    times: { lost: 100, reap: 1_000 },
  });
  keepers.push(keeper);
  keeper.start();
}
afterEach(async () => {
  away = 'no';
  await Promise.all(keepers.splice(0).map((keeper) => keeper.close()));
});

const podsOf = (taskId: string) =>
  db.many<{ id: string; state: string; generation: number; absences: number }>(sql`
    select id, state, generation, absences from pod where task_id = ${taskId}
     order by generation`);
/** How often its pod was lost, as people were told. */
const notices = async (taskId: string) =>
  (await at.eventsOf(taskId)).filter(({ text }) =>
    text?.startsWith('The pod of this task was lost'),
  ).length;

async function planned(text = 'Write a.md') {
  const task = await at.task();
  await at.send(task, text);
  await at.untilStatus(task.id, 'awaiting_approval');
  const [pod] = await podsOf(task.id);
  gone = pod?.id ?? '';
  return { ...task, pod: gone };
}

const untilLost = (taskId: string) =>
  until('the task is paused', async () => {
    const { status: is, reason } = await at.status(taskId);
    return is === 'paused' && reason === 'pod_lost';
  });

/** A task whose pod does not answer when its next turn begins. */
async function silent() {
  const task = await planned();
  away = 'silent';
  const turn = await at.send(task, 'Once more');
  await untilLost(task.id);
  await until('the pod is unknown', async () => (await podsOf(task.id))[0]?.state === 'unknown');
  return { task, turn };
}

test('a pod that does not answer pauses its task, which goes on with it when it answers', async () => {
  work();
  const { task, turn } = await silent();
  away = 'no';
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  assert.deepEqual(
    (await podsOf(task.id)).map(({ id, generation }) => [id, generation]),
    [[task.pod, 1]],
  );
  assert.equal(await notices(task.id), 0);
  assert.equal((await at.turn(turn)).losses, 0);
});

test('one answer that it is gone is not enough; after two the task goes on in a new pod', async () => {
  work();
  const { task, turn } = await silent();
  await Promise.all(keepers.splice(0).map((keeper) => keeper.close()));
  away = 'gone';
  assert.equal(await findLostPods(db, driver, 0), 0);
  const [once] = await podsOf(task.id);
  assert.deepEqual([once?.state, once?.absences], ['unknown', 1]);
  assert.equal((await at.status(task.id)).status, 'paused');
  assert.equal(await findLostPods(db, driver, 0), 1);
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  assert.deepEqual(
    (await podsOf(task.id)).map(({ state, generation }) => [state, generation]),
    [
      ['absent', 1],
      ['paused', 2],
    ],
  );
  assert.equal(await notices(task.id), 1);
});

test('lost in the middle of a build: built again from the last commit, and told', async () => {
  work();
  const task = await planned('Write a.md [[build:slow 3]]');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await until('the agent builds', async () =>
    (await at.eventsOf(task.id)).some(
      ({ type, kind }) => type === 'turn_started' && kind === 'build',
    ),
  );
  await until('it runs', async () => (await podsOf(task.id))[0]?.state === 'running');
  away = 'silent';
  await at.pods.destroy(task.pod);
  await untilLost(task.id);
  away = 'gone';
  await until('it is built', async () => (await at.status(task.id)).status === 'ready');
  const { project } = await db.one<{ project: string }>(sql`
    select project_id as project from task where id = ${task.id}`);
  const gitDir = join(at.folders.repositories, project, 'main.git');
  const names = execFileSync('git', ['-C', gitDir, 'ls-tree', '--name-only', branchOf(task.id)]);
  assert.equal(String(names), 'a.md\n');
  assert.equal(await notices(task.id), 1);
  const { losses } = await db.one<{ losses: number }>(sql`
    select losses from task_turn where task_id = ${task.id} order by number desc limit 1`);
  assert.equal(losses, 1);
});

/** A task whose build is at work; its pod ends under it then. */
async function endedUnder(how: 'drained' | 'exceeded') {
  const task = await planned('Write a.md [[build:slow 2]]');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await until('the agent builds', async () =>
    (await at.eventsOf(task.id)).some(
      ({ type, kind }) => type === 'turn_started' && kind === 'build',
    ),
  );
  await until('it runs', async () => (await podsOf(task.id))[0]?.state === 'running');
  away = how;
  await at.pods.pause(task.pod);
  const build = await db.one<{ id: string }>(sql`
    select id from task_turn where task_id = ${task.id} order by number desc limit 1`);
  return { ...task, build: build.id };
}

test('ended under its agent, as by a drain: the turn begins again in the same pod', async () => {
  work();
  const task = await endedUnder('drained');
  await untilLost(task.id);
  // It is ending still: whoever asks learns no more.
  await until('it was asked for', async () => (await podsOf(task.id))[0]?.state === 'unknown');
  assert.equal((await at.status(task.id)).status, 'paused');
  away = 'no';
  await until('it is built', async () => (await at.status(task.id)).status === 'ready');
  const pods = (await podsOf(task.id)).map(({ id, generation }) => [id, generation]);
  assert.deepEqual(pods, [[task.pod, 1]]);
  assert.deepEqual([await notices(task.id), (await at.turn(task.build)).losses], [0, 1]);
});

test('ended for a limit that it has exceeded: the turn fails, because it would be so again', async () => {
  work();
  const task = await endedUnder('exceeded');
  await until('it has failed', async () => (await at.turn(task.build)).state === 'failed');
  assert.equal((await at.turn(task.build)).losses, 0);
});

test('made of an image of another release: the task goes on in a new pod, and is told', async () => {
  work();
  const task = await planned();
  away = 'upgraded';
  const turn = await at.send(task, 'Once more');
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  const pods = (await podsOf(task.id)).map(({ id, generation }) => [id === task.pod, generation]);
  assert.deepEqual(pods, [
    [true, 1],
    [false, 2],
  ]);
  assert.equal(await notices(task.id), 1);
  await until('the one before is gone', async () => (await podsOf(task.id))[0]?.state === 'absent');
});

test('where the first pod of a task is of another release, the next turn has a new one', async () => {
  work();
  away = 'without';
  const task = await at.task();
  const first = await at.send(task, 'Write a.md');
  await until('the turn has failed', async () => (await at.turn(first)).state === 'failed');
  away = 'no';
  const turn = await at.send(task, 'Once more');
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  assert.deepEqual(
    (await podsOf(task.id)).map(({ generation }) => generation),
    [1, 2],
  );
  // There was nothing in it that could be lost.
  assert.equal(await notices(task.id), 0);
});

test('where no image is of this release, the turn fails with a sentence, and names no image', async () => {
  work();
  const task = await planned();
  away = 'without';
  const turn = await at.send(task, 'Once more');
  await until('the turn has failed', async () => (await at.turn(turn)).state === 'failed');
  const { reason } = await at.status(task.id);
  assert.match(reason ?? '', /^the image of the pod is none of this release; .* Send a message/i);
  away = 'no';
  const again = await at.send(task, 'And again');
  await until('the next is done', async () => (await at.turn(again)).state === 'done');
  // Neither that of before nor the one that was made: an engine keeps the image of a pod.
  const pods = await podsOf(task.id);
  assert.deepEqual(
    pods.map(({ generation }) => generation),
    [1, 2, 3],
  );
  assert.equal(pods[2]?.state, 'paused');
  assert.equal(await notices(task.id), 1);
});

test('a worker that dies before the work tree is filled: the next one fills it', async () => {
  work();
  const task = await planned();
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await at.untilStatus(task.id, 'ready');
  await at.pods.destroy(task.pod);
  const id = '11111111-1111-4111-8111-111111111111';
  await at.pods.create(id);
  await db.many(sql`update pod set state = 'absent' where task_id = ${task.id}`);
  await db.many(sql`
    insert into pod (id, task_id, driver, state, generation)
    values (${id}, ${task.id}, 'process', 'creating', 2)`);
  const turn = await at.send(task, 'Write b.md');
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  const { files } = await at.pods.start(id);
  const names = (await files.list(''))?.map(({ name }) => name);
  assert.deepEqual(names, ['a.md', 'b.md']);
  await at.pods.pause(id);
});
