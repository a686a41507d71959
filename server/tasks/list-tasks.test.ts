import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { TASK_STATUSES, type TaskStatus } from './task-states.ts';

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const list = async (query = '', key = owner.key) =>
    request('GET', `/api/projects/${project}/tasks${query}`, { key });
  const titles = async (query = ''): Promise<string[]> =>
    (await list(query)).body.map(({ title }: { title: string }) => title);
  const add = async (title: string, status: TaskStatus = 'ready', by = owner) => {
    const reason = status === 'paused' ? 'drain' : status === 'failed' ? 'It stopped.' : null;
    const { id } = await db.one<{ id: string }>(sql`
      insert into task (project_id, title, created_by_user_id, status, status_reason)
      values (${project}, ${title}, ${by.id}, ${status}, ${reason}) returning id`);
    return id;
  };
  return { owner, workspace, project, list, titles, add };
}

test('200: newest first, fifty to a page, and each page links to the next', async () => {
  const { list, add } = await tenant();
  for (let i = 1; i <= 53; i++) await add(`Task ${i}`);
  const first = await list();
  assert.deepEqual([first.body.length, first.body[0].title], [50, 'Task 53']);
  const next = /<[^?]+(\?[^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await list(next);
  assert.deepEqual(
    second.body.map(({ title }: { title: string }) => title),
    ['Task 3', 'Task 2', 'Task 1'],
  );
  assert.equal(second.headers.get('link'), null);
});

test('200: each status selects what shows it; an approved plan that has not started is queued', async () => {
  const { owner, add, titles } = await tenant();
  for (const status of TASK_STATUSES) await add(status, status);
  const approved = await add('approved', 'awaiting_approval');
  const revised = await add('revised', 'awaiting_approval');
  for (const id of [approved, revised]) {
    await fixtures.revision(id);
    const reply = await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
    assert.equal(reply.status, 200);
  }
  await fixtures.revision(revised);
  // A worker has taken the start of its first version.
  await db.many(sql`update outbox set done_at = now() where key = ${`${revised}:1`}`);
  const shown = await request('GET', `/api/tasks/${approved}`, { key: owner.key });
  assert.deepEqual(
    [shown.body.status, shown.body.plan],
    ['queued', { version: 1, approved_version: 1 }],
  );
  const again = await request('GET', `/api/tasks/${revised}`, { key: owner.key });
  assert.deepEqual(
    [again.body.status, again.body.plan],
    ['awaiting_approval', { version: 2, approved_version: 1 }],
  );
  for (const status of TASK_STATUSES) {
    const more =
      status === 'queued' ? ['approved'] : status === 'awaiting_approval' ? ['revised'] : [];
    assert.deepEqual(await titles(`?status=${status}`), [...more, status]);
  }
});

test('200: by creator, by part of the title, and archived ones instead of the others', async () => {
  const { workspace, add, titles, list } = await tenant();
  const other = await fixtures.user();
  await fixtures.member(workspace, other);
  await add('Ärger mit 100%');
  await add('100 things');
  await add('Theirs', 'ready', other);
  await db.many(sql`
    update task set archived_at = now() where id = ${await add('Old 100% thing')}`);
  assert.deepEqual(await titles(`?created_by=${other.id}`), ['Theirs']);
  assert.deepEqual(await titles(`?q=${encodeURIComponent('100%')}`), ['Ärger mit 100%']);
  assert.deepEqual(await titles(`?q=${encodeURIComponent('ÄRGER')}`), ['Ärger mit 100%']);
  assert.deepEqual(await titles('?archived=true'), ['Old 100% thing']);
  assert.equal((await list('?archived=true')).body[0].archived, true);
  assert.equal((await list('?status=done')).status, 422);
});

test('200, 403: whoever can open the project lists its tasks and reads them, and no one else', async () => {
  const { workspace, project, add, list } = await tenant();
  const id = await add('A task');
  const [viewer, guest, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'viewer');
  for (const { key } of [viewer, guest]) {
    assert.equal((await list('', key)).body.length, 1);
    assert.equal((await request('GET', `/api/tasks/${id}`, { key })).status, 200);
  }
  const { key } = stranger;
  assert.equal((await list('', key)).status, 403);
  assert.equal((await request('GET', `/api/tasks/${id}`, { key })).status, 403);
});

test('the cost of a task is that of its turns, to the micro-USD', async () => {
  const { owner, add } = await tenant();
  const id = await add('A task');
  await db.many(sql`
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at, spent_nano)
    select ${id}, n, 'prompt', ${id} || ':' || n, 'x', 'done', now(), 12345600
      from generate_series(1, 2) n`);
  const { body } = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  assert.deepEqual(body.spend, { amount: '0.024691' });
});
