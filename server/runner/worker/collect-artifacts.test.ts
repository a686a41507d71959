import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { FileStoreUnavailable } from '../../platform/files/file-store.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { makePod } from '../../testing/fixtures/runner/pods.ts';
import { turnOf } from '../../testing/fixtures/tasks/stored-files.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { Turn } from './claim.ts';
import { ARTIFACTS, artifactCollector } from './collect-artifacts.ts';
import { LostLease } from './lease.ts';
import type { TurnEvent, TurnWork } from './runner.ts';

/** What agents leave for people. */

const harness = await startHarness({ own: true });
const { db, files, request } = harness;
const at = await agentsAtWork(harness);

const artifactsOf = async ({ id, owner }: { id: string; owner: { key: string } }) =>
  (await request('GET', `/api/tasks/${id}/artifacts`, { key: owner.key })).body as {
    id: string;
    path: string;
    size: number;
  }[];

const approve = ({ id, owner }: { id: string; owner: { key: string } }) =>
  request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });

async function assertTold(task: Awaited<ReturnType<typeof at.task>>): Promise<void> {
  await until('the end is published', async () =>
    (await at.eventsOf(task.id)).some(({ state, number }) => state === 'done' && number === 2),
  );
  const events = await at.eventsOf(task.id);
  const told = events.filter(({ type }) => type === 'artifact');
  const [artifact, ...others] = await artifactsOf(task);
  assert.deepEqual(others, []);
  assert.deepEqual(
    told.map(({ id, path, size }) => ({ id, path, size })),
    [{ id: artifact?.id, path: 'reports/a.txt', size: artifact?.size }],
  );
  const index = (type: string) => events.findLastIndex((event) => event.type === type);
  assert.ok(index('artifact') < index('turn_ended'));
}

test('what a build leaves is stored and told once, and the folder is emptied', async () => {
  const task = await at.task();
  at.work();
  await at.send(task, 'Write a.md [[artifact reports/a.txt]]');
  await at.untilStatus(task.id, 'awaiting_approval');
  assert.deepEqual(await artifactsOf(task), []);
  await approve(task);
  await at.untilStatus(task.id, 'ready');
  await assertTold(task);
  const [artifact] = await artifactsOf(task);
  const path = `/api/tasks/${task.id}/artifacts/${artifact?.id}/content`;
  assert.equal(
    (await request('GET', path, { key: task.owner.key })).text,
    'This is reports/a.txt.\n',
  );
  const { pod } = await db.one<{ pod: string }>(sql`
    select id as pod from pod where task_id = ${task.id}`);
  const { files: tree } = await at.pods.start(pod);
  assert.equal(await tree.list(ARTIFACTS), undefined);
  await at.pods.pause(pod);
});

test('kill -9 after they were stored and before the turn has ended: stored once, told once', async () => {
  const task = await at.task();
  const first = await at.workElsewhere({ hold: true });
  await at.send(task, 'Write a.md [[artifact reports/a.txt]]');
  await at.untilStatus(task.id, 'awaiting_approval');
  await approve(task);
  await first.held();
  const [before] = await artifactsOf(task);
  await first.kill();
  at.work();
  await at.untilStatus(task.id, 'ready');
  await assertTold(task);
  assert.equal((await artifactsOf(task))[0]?.id, before?.id);
});

test('told once although the worker died between the event and its mark', async () => {
  const task = await at.task();
  const worker = at.work();
  await at.send(task, 'Write a.md [[artifact reports/a.txt]]');
  await at.untilStatus(task.id, 'awaiting_approval');
  await approve(task);
  await at.untilStatus(task.id, 'ready');
  await assertTold(task);
  await db.many(sql`update artifact set published_at = null where task_id = ${task.id}`);
  const next = await at.send(task, 'And now?');
  await until('the next turn is done', async () => (await at.turn(next)).state === 'done');
  await at.untilPublished(next);
  await worker.close();
  const told = (await at.eventsOf(task.id)).filter(({ type }) => type === 'artifact');
  assert.equal(told.length, 1);
});

/** A pod with these files, and what the collector says about them. */
async function collected(
  fill: (folder: string) => Promise<void>,
  { perProject = 1e9, fence = 0n } = {},
) {
  const task = await at.task();
  const turnId = await turnOf(db, task.id);
  const pod = await makePod(at.pods);
  const folder = join(pod.hostWorkTree as string, ARTIFACTS);
  await mkdir(folder, { recursive: true });
  await fill(folder);
  const told: TurnEvent[] = [];
  const work = {
    signal: new AbortController().signal,
    append: async (...events: TurnEvent[]) => void told.push(...events),
  } as TurnWork;
  const collect = artifactCollector({ db, files, repositories: at.repositories, perProject });
  await collect({ taskId: task.id, turnId, fence } as Turn, work, pod.files);
  assert.equal(await pod.files.list(ARTIFACTS), undefined);
  const paths = (await artifactsOf(task)).map(({ path }) => path);
  return { paths, told: told.map(({ payload }) => (payload as { text: string }).text).join() };
}

test('links, pipes and deep folders are not kept, nor more than fifty files', async () => {
  const { paths, told } = await collected(async (folder) => {
    await symlink('/etc/passwd', join(folder, 'link'));
    await symlink('/etc', join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await mkdir(join(folder, 'd/'.repeat(9)), { recursive: true });
    await writeFile(join(folder, 'd/'.repeat(9), 'deep'), 'deep');
    for (let i = 10; i < 70; i++) await writeFile(join(folder, `f${i}`), 'x');
  });
  assert.equal(paths.length, 50);
  assert.deepEqual(
    paths.filter((path) => !/^f\d\d$/.test(path)),
    [],
  );
  for (const line of ['link: it must be a file', 'pipe: it must be', 'too many folders', '10 more'])
    assert.ok(told.includes(line), told);
});

test('what is there beyond a thousand files and folders is reported as not kept', async () => {
  const filled = (folders: number) =>
    collected(async (folder) => {
      for (let i = 0; i < folders; i++)
        await mkdir(join(folder, `${i % 10}/${i}`), { recursive: true });
      await writeFile(join(folder, '0/report.txt'), 'x');
    });
  const TOO_MANY = /^- whatever came after the first 1,000 files and folders: a turn may not/m;
  const within = await filled(989);
  assert.deepEqual(within.paths, ['0/report.txt']);
  assert.equal(within.told, '');
  const beyond = await filled(991);
  assert.match(beyond.told, /^Some files of the agent were not kept:/);
  assert.match(beyond.told, TOO_MANY);
});

test('a name that cannot be stored, and what a project has no room for, are reported', async () => {
  const { paths, told } = await collected(
    async (folder) => {
      await writeFile(join(folder, 'a\nb'), 'x');
      await writeFile(join(folder, 'large'), Buffer.alloc(100));
      await writeFile(join(folder, 'small'), 'x');
    },
    { perProject: 50 },
  );
  assert.deepEqual(paths, ['small']);
  assert.match(told, /its name cannot be stored.*large: the files of the project/s);
});

test('a name that is not UTF-8 is reported, and the others are stored', async () => {
  const { paths, told } = await collected(async (folder) => {
    for (const place of [folder, join(folder, 'sub')]) {
      await mkdir(place, { recursive: true });
      await writeFile(join(place, 'report.txt'), 'x');
      await writeFile(Buffer.concat([Buffer.from(`${place}/caf`), Buffer.from([0xe9])]), 'x');
    }
  });
  assert.deepEqual(paths.sort(), ['report.txt', 'sub/report.txt']);
  assert.match(told, /- caf\ufffd: its name is not UTF-8\n- sub\/caf\ufffd: its name is not/);
});

for (const kind of ['file', 'link'] as const)
  test(`a ${kind} in place of Guildhall's folder is reported, and removed`, async () => {
    const { id: taskId } = await at.task();
    const { projectId } = await db.one<{ projectId: string }>(sql`
      select project_id as "projectId" from task where id = ${taskId}`);
    const pod = await makePod(at.pods);
    const own = join(pod.hostWorkTree as string, '.guildhall');
    await (kind === 'file' ? writeFile(own, 'x') : symlink('/etc', own));
    const told: TurnEvent[] = [];
    const append = async (...events: TurnEvent[]) => void told.push(...events);
    const turn = { taskId, projectId, turnId: await turnOf(db, taskId), fence: 0n } as Turn;
    const place = { db, files, repositories: at.repositories, perProject: 1e9 };
    await artifactCollector(place)(turn, { append } as TurnWork, pod.files);
    assert.match(JSON.stringify(told), /it must be a folder/);
    assert.deepEqual(await pod.files.list(''), []);
  });

test('a folder that is a link is not followed', async () => {
  const task = await at.task();
  const pod = await makePod(at.pods);
  await mkdir(join(pod.hostWorkTree as string, '.guildhall'));
  await symlink('/etc', join(pod.hostWorkTree as string, ARTIFACTS));
  const told: TurnEvent[] = [];
  const work = { append: async (...events: TurnEvent[]) => void told.push(...events) } as TurnWork;
  const turn = { taskId: task.id, turnId: await turnOf(db, task.id), fence: 0n } as Turn;
  const place = { db, files, repositories: at.repositories, perProject: 1e9 };
  await artifactCollector(place)(turn, work, pod.files);
  assert.match(JSON.stringify(told), /it must be a folder/);
  assert.deepEqual(await artifactsOf(task), []);
});

test('while the store cannot be used, the work is kept, a notice says so, and the next turn stores it', async () => {
  const task = await at.task();
  const pod = await makePod(at.pods);
  const folder = join(pod.hostWorkTree as string, ARTIFACTS);
  await mkdir(folder, { recursive: true });
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), name);
  const told: TurnEvent[] = [];
  const signal = new AbortController().signal;
  const append = async (...events: TurnEvent[]) => void told.push(...events);
  const turn = { taskId: task.id, turnId: await turnOf(db, task.id), fence: 0n } as Turn;
  let puts = 0;
  const failing: typeof files = {
    ...files,
    put: async (...given) => {
      puts += 1;
      if (puts > 1) throw new FileStoreUnavailable('down');
      return files.put(...given);
    },
  };
  const place = { db, repositories: at.repositories, perProject: 1e9 };
  const work = { signal, append } as TurnWork;
  await artifactCollector({ ...place, files: failing })(turn, work, pod.files);
  assert.equal(puts, 2, 'the others are not tried');
  assert.match(JSON.stringify(told), /file store cannot be used.*work of this turn is kept/);
  assert.deepEqual(
    (await artifactsOf(task)).map(({ path }) => path),
    ['a'],
  );
  assert.deepEqual(
    (await pod.files.list(ARTIFACTS))?.map(({ name }) => name),
    ['b', 'c'],
  );
  await artifactCollector({ ...place, files })(turn, work, pod.files);
  assert.deepEqual((await artifactsOf(task)).map(({ path }) => path).sort(), ['a', 'b', 'c']);
  assert.equal(await pod.files.list(ARTIFACTS), undefined);
  assert.equal(told.length, 1);
});

test('a worker that has lost the task stores nothing', async () => {
  await assert.rejects(
    collected(async (folder) => writeFile(join(folder, 'a'), 'x'), { fence: 7n }),
    LostLease,
  );
});
