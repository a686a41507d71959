import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const merges = await mergesOn(harness);
const { owner, workspace } = merges;

/** A project with as many deploys, the newest last. */
async function deployed(count: number): Promise<{ project: string; deploys: string[] }> {
  const project = await fixtures.project({ organizationId: workspace });
  const deploys = [];
  for (let i = 0; i < count; i++) {
    const task = await fixtures.task(project, owner);
    await fixtures.pullRequest(task, owner);
    await fixtures.merge(task, owner);
    deploys.push(await fixtures.deploy(task));
  }
  return { project, deploys };
}

const list = async (project: string, query = '', as: User = owner) =>
  request('GET', `/api/projects/${project}/deploys${query}`, { key: as.key });
const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);
const get = (id: string, as: User = owner) => request('GET', `/api/deploys/${id}`, { key: as.key });
const log = (id: string, as: User = owner) =>
  request('GET', `/api/deploys/${id}/log`, { key: as.key });

test('200: newest first, in pages', async () => {
  const { project, deploys } = await deployed(5);
  const newestFirst = deploys.toReversed();
  const all = await list(project);
  assert.deepEqual([all.status, idsOf(all.body)], [200, newestFirst]);
  const first = await list(project, '?limit=2');
  assert.deepEqual(idsOf(first.body), newestFirst.slice(0, 2));
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await list(project, new URL(next, harness.url).search);
  assert.deepEqual(idsOf(second.body), newestFirst.slice(2, 4));
});

test('200: by branch, stage and state', async () => {
  const { project, deploys } = await deployed(3);
  const [one = '', two = '', three = ''] = deploys;
  await db.many(sql`
    update deploy set branch = 'staging', stage = 'staging' where id = ${one}`);
  await db.many(sql`
    update deploy set state = 'failed', ended_at = now(), reason = 'It ended with 1.'
     where id = ${two}`);
  const found = async (query: string) => idsOf((await list(project, query)).body);
  assert.deepEqual(await found('?branch=staging'), [one]);
  assert.deepEqual(await found('?stage=production'), [three, two]);
  assert.deepEqual(await found('?state=queued'), [three, one]);
  assert.deepEqual(await found('?branch=main&stage=production&state=failed'), [two]);
  assert.deepEqual(await found('?branch=no-such'), []);
  for (const query of ['?stage=test', '?state=done', '?branch='])
    assert.equal((await list(project, query)).status, 422, query);
});

test('200: what is shown of one, also when its task is deleted', async () => {
  const task = await merges.offered();
  const { body: merge } = await merges.ask(task);
  await merges.work();
  const { merge_commit_sha } = await merges.get(task.taskId);
  const [shown] = (await list(task.projectId)).body;
  const { id, created_at, repository_id, ...rest } = shown;
  assert.deepEqual(rest, {
    project_id: task.projectId,
    task_id: merge.task_id,
    merged_by_user_id: owner.id,
    branch: 'main',
    stage: 'production',
    commit_sha: merge_commit_sha,
    state: 'queued',
  });
  assert.deepEqual((await get(id)).body, shown);
  await request('DELETE', `/api/tasks/${task.taskId}`, { key: owner.key });
  const { task_id, merged_by_user_id, ...without } = shown;
  assert.deepEqual((await get(id)).body, without);
});

test('200: the log, empty before anything was printed', async () => {
  const [id = ''] = (await deployed(1)).deploys;
  const empty = await log(id);
  assert.deepEqual([empty.status, empty.text], [200, '']);
  await db.many(sql`insert into deploy_log (deploy_id, content) values (${id}, 'Héllo\n')`);
  const written = await log(id);
  assert.deepEqual(
    [written.text, written.headers.get('content-type')],
    ['Héllo\n', 'text/plain; charset=utf-8'],
  );
});

test('everyone who can open the project may see them, and no one else', async () => {
  const { project, deploys } = await deployed(1);
  const [id = ''] = deploys;
  const [viewer, member, admin, custom, collaborator, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'viewer' }));
  await fixtures.grant(project, collaborator, 'viewer');
  for (const person of [owner, admin, member, viewer, custom, collaborator])
    for (const reply of [await list(project, '', person), await get(id, person)])
      assert.equal(reply.status, 200);
  for (const person of [owner, collaborator]) assert.equal((await log(id, person)).status, 200);
  for (const ask of [
    () => list(project, '', stranger),
    () => get(id, stranger),
    () => log(id, stranger),
  ]) {
    const { status, body } = await unchanged(ask);
    assert.deepEqual([status, body.code], [403, 'forbidden']);
  }
});

test('404: one that does not exist, or whose project was deleted', async () => {
  const { project, deploys } = await deployed(1);
  await request('DELETE', `/api/projects/${project}`, { key: owner.key });
  for (const id of [...deploys, '019aa2b6-5e6f-7a8b-9c0d-1e2f3a4b5c6d'])
    for (const reply of [await get(id), await log(id)]) assert.equal(reply.status, 404);
});

test('a deploy is noted for its task without a search through all merges', async () => {
  const { deploys } = await deployed(10);
  const [deploy = ''] = deploys;
  const read = await db.transaction(async (tx) => {
    await tx.many(sql`set local enable_seqscan = off`); // as for tables that are larger
    const rows = () =>
      tx.one<{ read: number }>(sql`
        select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as read
          from pg_stat_xact_user_tables where relname in ('merge', 'pull_request')`);
    const before = await rows();
    await tx.many(sql`
      update deploy set state = 'failed', ended_at = now(), reason = 'It ended with 1.'
       where id = ${deploy}`);
    return (await rows()).read - before.read;
  });
  assert.ok(read <= 5, `${read} rows of merge and pull_request`);
});
