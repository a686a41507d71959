import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { gitDirOf, RepositoryError } from '../code/repositories/git.ts';
import { sql } from '../db/sql.ts';
import { openEnvironments } from '../runner/worker/environment/environments.ts';
import { podKeeper } from '../runner/worker/keep-pods.ts';
import { git } from '../testing/fixtures/code/git-client.ts';
import { agentsAtWork } from '../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

/** What people see and ask of pods, with a worker that carries it out. */

const harness = await startHarness({ own: true });
const { db, fixtures, request, unchanged } = harness;
const at = await agentsAtWork(harness);
/** Of which image each pod was made, on a driver that has images. */
const images = new Map<string, string | undefined>();
/** Whether the folder of repositories is away, as while its volume is not mounted. */
let isAway = false;
const keeper = podKeeper(db, {
  driver: {
    ...at.pods,
    create(id, image) {
      images.set(id, image);
      return at.pods.create(id);
    },
  },
  repositories: {
    ...at.repositories,
    checkOut: async (place, signal) => {
      if (isAway) throw new RepositoryError('The folder is away.', { passes: true });
      return at.repositories.checkOut(place, signal);
    },
  },
  environments: openEnvironments(db, {
    driver: { name: 'docker', confined: true },
    directory: at.repositories.directory,
    images: [{ id: 'python', image: 'registry.example.com/python:3' }],
  }),
  log: pino({ level: 'silent' }),
  times: { requests: 50, reap: 100 },
});
keeper.start();
after(() => keeper.close());

type Task = Awaited<ReturnType<typeof at.task>>;
const call = (method: string, { id, owner }: Task, path = '') =>
  request(method, `/api/tasks/${id}/pod${path}`, { key: owner.key });
const podIs = (task: Task, state: string) =>
  until(`the pod is ${state}`, async () => {
    const { body } = await call('GET', task);
    return body.state === state && body.wanted === undefined;
  });

/** As the task itself shows it, and the list of tasks. */
async function podOfTask({ id, owner }: Task) {
  const { body } = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  const listed = await request('GET', `/api/projects/${body.project_id}/tasks`, { key: owner.key });
  const same = listed.body.find((task: { id: string }) => task.id === id);
  assert.deepEqual(same.pod, body.pod);
  if (body.pod === undefined) return undefined;
  const { state, driver, confined, ...rest } = body.pod;
  // It is known once the pod has been made, and depends on whether this machine has bubblewrap.
  assert.deepEqual([typeof confined, rest], ['boolean', {}]);
  return { state, driver };
}

test('a task without a pod has one that is absent, with an empty log', async () => {
  const task = await at.task();
  const { status, body } = await call('GET', task);
  assert.deepEqual([status, body], [200, { task_id: task.id, state: 'absent' }]);
  assert.equal(await podOfTask(task), undefined);
  const log = await call('GET', task, '/log');
  assert.deepEqual([log.status, log.text], [200, '']);
  const stopped = await call('POST', task, '/stop');
  assert.deepEqual([stopped.status, stopped.body.state], [200, 'absent']);
  await podIs(task, 'absent');
});

test('one that is asked for is made of the image of its project', async () => {
  const [task, other] = [await at.task(), await at.task()];
  const { body } = await request('GET', `/api/tasks/${task.id}`, { key: task.owner.key });
  await db.many(sql`
    insert into project_environment (project_id, image) values (${body.project_id}, 'python')`);
  for (const each of [task, other]) {
    await call('POST', each, '/start');
    await podIs(each, 'running');
  }
  const imageOf = async (each: Task) => images.get((await call('GET', each)).body.id);
  assert.deepEqual(
    [await imageOf(task), await imageOf(other)],
    ['registry.example.com/python:3', undefined],
  );
});

test('200: it is made, started, used by the next turn, stopped', async () => {
  const task = await at.task();
  for (const _ of [1, 2]) {
    const { status, body } = await call('POST', task, '/start');
    assert.deepEqual([status, body.wanted], [200, 'running']);
  }
  await podIs(task, 'running');
  const { body } = await call('GET', task);
  assert.deepEqual([body.driver, body.generation], ['process', 1]);
  assert.deepEqual(await podOfTask(task), { state: 'running', driver: 'process' });
  assert.ok(body.isolation.length > 10 && body.started_at);
  at.work();
  await at.send(task, 'Write a.md');
  await at.untilStatus(task.id, 'awaiting_approval');
  assert.equal((await call('GET', task)).body.id, body.id);
  await call('POST', task, '/start');
  await podIs(task, 'running');
  const stopped = await call('POST', task, '/stop');
  assert.deepEqual([stopped.status, stopped.body.wanted], [200, 'paused']);
  await podIs(task, 'paused');
  assert.deepEqual(await podOfTask(task), { state: 'paused', driver: 'process' });
  await db.many(sql`update pod set state = 'absent' where task_id = ${task.id}`);
  assert.equal(await podOfTask(task), undefined);
  await db.many(sql`delete from task where id = ${task.id}`);
  assert.equal((await at.pods.find(body.id)).state, 'paused');
  const actions = await db.many<{ action: string }>(sql`
    select distinct action from audit_event where target_id = ${task.id} and action like 'pod.%'
     order by action`);
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['pod.start', 'pod.stop'],
  );
});

test('409 pod_in_use: a turn is not interrupted by a stop, and a start changes nothing', async () => {
  const task = await at.task();
  await fixtures.turn(task.id, { state: 'running' });
  const stop = await unchanged(() => call('POST', task, '/stop'));
  assert.deepEqual([stop.status, stop.body.code], [409, 'pod_in_use']);
  const start = await unchanged(() => call('POST', task, '/start'));
  assert.deepEqual([start.status, start.body.wanted], [200, undefined]);
});

test('409 task_archived: the pod of an archived task is not started', async () => {
  const task = await at.task();
  await db.many(sql`update task set archived_at = now() where id = ${task.id}`);
  const { status, body } = await unchanged(() => call('POST', task, '/start'));
  assert.deepEqual([status, body.code], [409, 'task_archived']);
});

test('viewers see the pod and its log, and ask nothing of it', async () => {
  const task = await at.task();
  const viewer = await fixtures.user();
  await fixtures.member(task.workspace, viewer, 'viewer');
  const as = { ...task, owner: viewer };
  assert.equal((await call('GET', as)).status, 200);
  assert.equal((await call('GET', as, '/log')).status, 200);
  for (const path of ['/start', '/stop'])
    assert.equal((await unchanged(() => call('POST', as, path))).status, 403);
});

test('a request whose worker died is carried out by another', async () => {
  const task = await at.task();
  await db.many(sql`
    insert into pod_request (task_id, action, requested_by_user_id, attempts)
    values (${task.id}, 'start', ${task.owner.id}, 1)`);
  const id = '22222222-2222-4222-8222-222222222222';
  await db.many(sql`
    insert into pod (id, task_id, driver, state, held_by, held_until)
    values (${id}, ${task.id}, 'process', 'creating', 'a dead worker', now() + interval '1 second')`);
  await podIs(task, 'running');
  assert.equal((await call('GET', task)).body.id, id);
});

test('one that cannot be filled has failed, says why, and is replaced by the next start', async () => {
  const task = await at.task();
  const begin = (base: string | null) =>
    db.many(sql`update task set base = ${base} where id = ${task.id}`);
  await begin('gone');
  await call('POST', task, '/start');
  // Its row stays, and tells of it, when nothing is left of the pod.
  await podIs(task, 'absent');
  const { body } = await call('GET', task);
  assert.match(body.reason, /branch gone/);
  await begin(null);
  await call('POST', task, '/start');
  await podIs(task, 'running');
  const pods = await db.many(sql`
    select generation, lost_at from pod where task_id = ${task.id} and state = 'running'`);
  assert.deepEqual(pods, [{ generation: 2, lost_at: null }]);
});

test('one that cannot be filled for a reason nobody has foreseen has failed at the fifth try', async () => {
  const task = await at.task();
  const { body: shown } = await request('GET', `/api/tasks/${task.id}`, { key: task.owner.key });
  // The branch that it would begin with is gone.
  await at.repositories.headOf({ projectId: shown.project_id, taskId: task.id });
  const gitDir = gitDirOf(at.repositories.directory, shown.project_id);
  await git(gitDir, 'update-ref', '-d', 'HEAD');
  await call('POST', task, '/start');
  await untilTried(task);
  assert.equal((await call('GET', task)).body.state, 'creating');
  await tryAgain(task, 4);
  await podIs(task, 'absent');
  const { body } = await call('GET', task);
  assert.equal(body.reason, 'Something went wrong in the server; its log has the details.');
});

test('one that cannot be filled for a while is tried again', async () => {
  const task = await at.task();
  isAway = true;
  await call('POST', task, '/start');
  await untilTried(task);
  assert.equal((await call('GET', task)).body.state, 'creating');
  isAway = false;
  await tryAgain(task, 1);
  await podIs(task, 'running');
  assert.equal((await call('GET', task)).body.generation, 1);
});

const untilTried = ({ id }: Task) =>
  until('it was tried', async () => {
    const pod = await db.maybeOne(sql`
      select from pod p join pod_request w using (task_id)
       where task_id = ${id} and w.attempts = 1 and p.held_by is null`);
    return pod !== undefined;
  });
const tryAgain = ({ id }: Task, attempts: number) =>
  db.many(sql`
    update pod_request set attempts = ${attempts}, not_before = now() where task_id = ${id}`);

test('a request that waits for another worker has not been tried', async () => {
  const task = await at.task();
  await db.many(sql`
    insert into pod (task_id, driver, state, held_by, held_until)
    values (${task.id}, 'process', 'creating', 'another worker', now() + interval '1 hour')`);
  await call('POST', task, '/start');
  const waits = () =>
    db.maybeOne(sql`
      select from pod_request
       where task_id = ${task.id} and attempts = 0
         and not_before > requested_at + interval '1.5 seconds'`);
  await until('it was looked at twice', async () => (await waits()) !== undefined);
  await db.many(sql`update pod set held_until = now() where task_id = ${task.id}`);
  await podIs(task, 'running');
});

test('race: a turn that is claimed while the pod is started waits, and both use one pod', async () => {
  const task = await at.task();
  at.work();
  await Promise.all([call('POST', task, '/start'), at.send(task, 'Write a.md')]);
  await at.untilStatus(task.id, 'awaiting_approval');
  const pods = await db.many(sql`select generation from pod where task_id = ${task.id}`);
  assert.deepEqual(pods, [{ generation: 1 }]);
});
