import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { branchOf, gitDirOf } from '../../code/repositories/git.ts';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { podKeeper } from './keep-pods.ts';
import { destroyEnded, endPods, orphanReaper } from './reap-pods.ts';
import { reapRepositories } from './reap-repositories.ts';
import { workTrees } from './work-tree.ts';

/** Pods that are no longer needed go, and nothing else does. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const at = await agentsAtWork(harness);
const place = {
  driver: at.pods,
  trees: workTrees(at.repositories),
  log: pino({ level: 'silent' }),
};
const reap = async () => {
  await endPods(db, place);
  await destroyEnded(db, place);
};

const podsOf = (taskId: string) =>
  db.many<{ id: string; state: string }>(sql`
    select id, state from pod where task_id = ${taskId} order by generation`);
const there = async (id = '') => (await at.pods.find(id)).state !== 'absent';

/** A task that was built, and its pod. */
async function built() {
  const task = await at.task();
  const worker = at.work();
  await at.send(task, 'Write a.md');
  await at.untilStatus(task.id, 'awaiting_approval');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await at.untilStatus(task.id, 'ready');
  await worker.close();
  const [pod] = await podsOf(task.id);
  const { project } = await db.one<{ project: string }>(sql`
    select project_id as project from task where id = ${task.id}`);
  return { ...task, project, pod: pod?.id ?? '' };
}

const expire = (taskId: string) =>
  db.many(sql`
    update pod set expires_at = now() - interval '1 second'
     where task_id = ${taskId} and state = 'paused'`);

test('a pod that was not used for long goes, its work is committed, and a new one begins with it', async () => {
  const task = await built();
  await reap();
  assert.deepEqual(await podsOf(task.id), [{ id: task.pod, state: 'paused' }]);
  await writeFile(join(at.folders.pods, task.pod, 'work/left.txt'), 'left\n');
  await expire(task.id);
  await reap();
  assert.deepEqual(await podsOf(task.id), [{ id: task.pod, state: 'absent' }]);
  assert.equal(await there(task.pod), false);
  const git = ['-C', gitDirOf(at.folders.repositories, task.project), 'ls-tree', '--name-only'];
  const names = execFileSync('git', [...git, branchOf(task.id)], { encoding: 'utf8' });
  assert.equal(names, 'a.md\nleft.txt\n');
  at.work();
  const turn = await at.send(task, 'Write b.md');
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  const [, next] = await podsOf(task.id);
  const files = await readdir(join(at.folders.pods, next?.id ?? '', 'work'));
  assert.deepEqual(files.sort(), ['a.md', 'b.md', 'left.txt']);
  const notices = (await at.eventsOf(task.id)).filter(({ type }) => type === 'notice');
  // Its agent begins anew, and is told what came before; nothing was lost.
  assert.deepEqual(
    notices.map(({ text }) => /^The agent begins anew in a new pod\./.test(text)),
    [true],
  );
});

/** A logger, and what it has been told. */
function logged() {
  const lines: { msg: string; task?: string; pod?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, log };
}

/** Nothing of the task can be committed, for a reason that nobody has foreseen. */
async function breakCommits(task: { id: string; project: string }): Promise<void> {
  const index = join(gitDirOf(at.folders.repositories, task.project), `index-${task.id}`);
  await rm(index);
  await mkdir(index);
}

test('a pod whose work cannot be saved for any reason waits 5 minutes; others go', async () => {
  const [broken, other] = [await built(), await built()];
  await breakCommits(broken);
  await expire(broken.id);
  await expire(other.id);
  await db.many(sql`
    update pod set expires_at = now() - interval '1 hour' where id = ${broken.pod}`);
  const { lines, log } = logged();
  assert.equal(await endPods(db, { ...place, log }), 1);
  await destroyEnded(db, place);
  assert.deepEqual([await there(broken.pod), await there(other.pod)], [true, false]);
  assert.deepEqual(
    lines.map(({ msg, task, pod }) => ({ msg, task, pod })),
    [{ msg: 'the work in a pod could not be saved', task: broken.id, pod: broken.pod }],
  );
  const left = await db.one(sql`
    select state, held_by as "heldBy",
           expires_at between now() + interval '4 minutes' and now() + interval '5 minutes' as later
      from pod where id = ${broken.pod}`);
  assert.deepEqual(left, { state: 'paused', heldBy: null, later: true });
  await rm(join(gitDirOf(at.folders.repositories, broken.project), `index-${broken.id}`), {
    recursive: true,
  });
  await expire(broken.id);
  await reap();
  assert.equal(await there(broken.pod), false);
});

test('a database that is lost while a pod is saved is reported', async () => {
  const task = await built();
  await expire(task.id);
  const lost = openDatabase({ url: harness.databaseUrl });
  const commit = async () => {
    await lost.close();
    throw new Error('lost');
  };
  const trees = { ...place.trees, commit };
  await assert.rejects(endPods(lost, { ...place, trees }));
  assert.deepEqual(await podsOf(task.id), [{ id: task.pod, state: 'paused' }]);
});

test('a step of the reaping that fails is reported, and stops none after it', async () => {
  const [task, other] = [await built(), await built()];
  await expire(other.id);
  const { status } = await request('DELETE', `/api/projects/${task.project}`, {
    key: task.owner.key,
  });
  assert.ok(status < 300);
  const { lines, log } = logged();
  const driver = { ...at.pods, list: () => Promise.reject(new Error('no answer')) };
  const { repositories } = at;
  const keeper = podKeeper(db, { driver, repositories, log, times: { reap: 50 } });
  keeper.start();
  await until('what is after it was done', async () => {
    const names = await readdir(at.folders.repositories);
    return !names.includes(task.project) && !(await there(other.pod));
  });
  await keeper.close();
  const said = lines.filter(({ msg }) => msg === 'pods: reaping failed; trying again');
  assert.equal(said.length, 1);
});

test('the pods of archived tasks go at once, of cancelled ones later, of others not', async () => {
  const [archived, cancelled, kept] = [await built(), await built(), await built()];
  await db.many(sql`update task set archived_at = now() where id = ${archived.id}`);
  await db.many(sql`update task set status = 'cancelled' where id = ${cancelled.id}`);
  await reap();
  const are = async () => [
    await there(archived.pod),
    await there(cancelled.pod),
    await there(kept.pod),
  ];
  assert.deepEqual(await are(), [false, true, true]);
});

test('never the pod of a running turn, nor one that is held', async () => {
  const task = await built();
  await expire(task.id);
  const turn = await at.queue(task.id, 'prompt', 'Go on');
  await db.many(sql`
    update task_turn set state = 'running', owner = 'a worker', attempt = 1,
           lease_until = now() + interval '1 hour' where id = ${turn}`);
  await reap();
  assert.equal(await there(task.pod), true);
  await db.many(sql`
    update task_turn set state = 'done', owner = null, lease_until = null, ended_at = now()
     where id = ${turn}`);
  await db.many(sql`
    update pod set held_by = 'another', held_until = now() + interval '1 hour'
     where id = ${task.pod}`);
  await reap();
  assert.equal(await there(task.pod), true);
  // Its holder has died.
  await db.many(
    sql`update pod set held_until = now() - interval '1 second' where id = ${task.pod}`,
  );
  await reap();
  assert.equal(await there(task.pod), false);
});

test('race: a turn is claimed while its pod is removed, and ends in a pod that is there', async () => {
  const task = await built();
  at.work();
  for (let round = 0; round < 4; round++) {
    await expire(task.id);
    const [turn] = await Promise.all([
      at.send(task, `Write r${round}.md`),
      reap(),
      pause(round * 10).then(reap),
    ]);
    await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
    const last = (await podsOf(task.id)).at(-1);
    assert.equal(await there(last?.id), true);
    const files = await readdir(join(at.folders.pods, last?.id ?? '', 'work'));
    assert.ok(files.includes(`r${round}.md`) && files.includes('a.md'), files.join());
  }
});

test('what a worker that died has begun to destroy is destroyed by another', async () => {
  const task = await built();
  await db.many(sql`update pod set state = 'destroying' where id = ${task.pod}`);
  await reap();
  assert.deepEqual(await podsOf(task.id), [{ id: task.pod, state: 'absent' }]);
  assert.equal(await there(task.pod), false);
});

test('the pod of a deleted task goes once it was seen without a task for a while; others stay', async () => {
  const [deleted, kept] = [await built(), await built()];
  const orphans = orphanReaper(db, place, 100);
  await request('DELETE', `/api/tasks/${deleted.id}`, { key: deleted.owner.key });
  await orphans();
  assert.equal(await there(deleted.pod), true, 'seen once');
  await pause(120);
  await orphans();
  assert.deepEqual([await there(deleted.pod), await there(kept.pod)], [false, true]);
});

test('repositories go where their project was deleted, and index files where their task was', async () => {
  const [deleted, kept] = [await built(), await built()];
  const unknown = randomUUID();
  await mkdir(join(at.folders.repositories, unknown));
  const index = (task: { project: string; id: string }) =>
    readdir(gitDirOf(at.folders.repositories, task.project)).then((names) =>
      names.includes(`index-${task.id}`),
    );
  const gone = await at.task();
  const left = `index-${gone.id}`;
  await writeFile(join(gitDirOf(at.folders.repositories, kept.project), left), '');
  await request('DELETE', `/api/tasks/${gone.id}`, { key: gone.owner.key });
  const { status } = await request('DELETE', `/api/projects/${deleted.project}`, {
    key: deleted.owner.key,
  });
  assert.ok(status < 300);
  await reapRepositories(db, at.folders.repositories);
  const names = await readdir(at.folders.repositories);
  assert.deepEqual(
    [deleted.project, kept.project, unknown].map((name) => names.includes(name)),
    [false, true, true],
  );
  assert.equal(await index(kept), true);
  assert.equal(await index({ project: kept.project, id: gone.id }), false);
});
