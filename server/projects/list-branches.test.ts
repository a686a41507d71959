import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeRepository } from '../code/repositories/make-repository.ts';
import { sql } from '../db/sql.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { turnOf } from '../testing/fixtures/tasks/stored-files.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

const folder = await temporaryFolder();
const { fixtures, request, db, url } = await startHarness({ env: { DATA_DIR: folder } });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);

/** A project whose repository `main` is there, with these branches beside the default one. */
async function withBranches(names: string[], repository = 'main') {
  const project = await fixtures.project({ organizationId: workspace });
  if (repository !== 'main') await fixtures.repository(project, { name: repository });
  const { id } = await db.one<{ id: string }>(sql`
    select id from repository where project_id = ${project} and full_name = ${repository}`);
  const gitDir = join(folder, 'repositories', project, `${repository}.git`);
  await makeRepository(gitDir);
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-C', gitDir, ...args], { encoding: 'utf8', ...(input && { input }) });
  const head = git(['rev-parse', 'main']).trim();
  const updates = names.map((name) => `create refs/heads/${name} ${head}\n`).join('');
  if (names.length > 0) git(['update-ref', '--stdin'], updates);
  const path = `/api/projects/${project}/repositories/${id}/branches`;
  const list = (query = '', by: User = owner) => request('GET', path + query, { key: by.key });
  return { project, id, gitDir, head, git, path, list };
}

const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);

test('200: by name, with the default branch and those of tasks', async () => {
  const { project, head, git, list } = await withBranches(['b', 'a/z', 'B', 'ü']);
  const task = await fixtures.task(project, owner);
  const other = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  for (const id of [task, other]) git(['branch', `task/${id.slice(0, 8)}`, 'main']);
  git(['branch', 'task/x', 'main']);
  // Neither a tag nor what is outside of branches.
  git(['tag', 'v1', 'main']);
  git(['update-ref', 'refs/notes/commits', head]);
  const { status, body } = await list();
  const of = (name: string, more = {}) => ({ name, head_sha: head, is_default: false, ...more });
  const shown = [
    of('B'),
    of('a/z'),
    of('b'),
    of('main', { is_default: true }),
    ...[
      of(`task/${task.slice(0, 8)}`, { task_id: task }),
      of(`task/${other.slice(0, 8)}`),
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    of('task/x'),
    of('ü'),
  ];
  assert.deepEqual([status, body], [200, shown]);
});

test('200: of another repository of the project', async () => {
  const { list } = await withBranches(['only-here'], 'library');
  assert.deepEqual(names(await list()), ['main', 'only-here']);
});

test('200: in pages, and with a part of the name in any case', async () => {
  const many = Array.from({ length: 120 }, (_, i) => `b${String(i).padStart(3, '0')}`);
  const { path, list } = await withBranches([...many, 'Ünï/X1']);
  const all = [...many, 'main', 'Ünï/X1'];
  const first = await list();
  assert.deepEqual(names(first), all.slice(0, 50));
  for (const query of ['', '?limit=1', '?limit=61', '?limit=200']) {
    const found: string[] = [];
    let next: string | undefined = path + query;
    while (next !== undefined) {
      const reply = await request('GET', next, { key: owner.key });
      found.push(...names(reply));
      next = /<(.*)>/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(found, all, query);
  }
  assert.deepEqual(names(await list('?q=B01&limit=3')), ['b010', 'b011', 'b012']);
  assert.deepEqual(names(await list(`?q=${encodeURIComponent('üNÏ')}`)), ['Ünï/X1']);
  assert.deepEqual(names(await list('?q=%25')), []);
  const refused = await list('?cursor=x');
  assert.deepEqual([refused.status, refused.body.detail[0].type], [422, 'cursor_invalid']);
});

test('200: none before the first commit, and where no folder is', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const [main] = (await request('GET', `/api/projects/${project}/repositories`, { key: owner.key }))
    .body;
  const path = `/api/projects/${project}/repositories/${main.id}/branches`;
  const { status, body } = await request('GET', path, { key: owner.key });
  assert.deepEqual([status, body], [200, []]);
  const gitDir = join(folder, 'repositories', project, 'main.git');
  await mkdir(join(folder, 'repositories', project));
  execFileSync('git', ['init', '--quiet', '--bare', gitDir]);
  assert.deepEqual((await request('GET', path, { key: owner.key })).body, []);
});

test('200: a name that is not UTF-8 is shown with replacement characters, and pages pass over it', async () => {
  const { gitDir, head, list, path } = await withBranches([]);
  const name = Buffer.from([0x61, 0xff, 0x62]);
  const ref = Buffer.concat([Buffer.from(`${head} refs/heads/`), name, Buffer.from('\n')]);
  await writeFile(join(gitDir, 'packed-refs'), ref);
  assert.deepEqual(names(await list()), ['a\ufffdb', 'main']);
  const link = (await list('?limit=1')).headers.get('link') ?? '';
  const next = /<(.*)>/.exec(link)?.[1] as string;
  assert.ok(next.startsWith(path));
  assert.deepEqual(names(await request('GET', next, { key: owner.key })), ['main']);
});

test('403, 404: strangers see nothing, and a repository of another project is none', async () => {
  const { id, path, list } = await withBranches([]);
  const other = await withBranches([]);
  const [stranger, collaborator, viewer] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.grant(other.project, collaborator, 'viewer');
  await fixtures.member(workspace, viewer, 'viewer');
  assert.equal((await list('', viewer)).status, 200);
  assert.equal((await other.list('', collaborator)).status, 200);
  for (const by of [stranger, collaborator]) assert.equal((await list('', by)).status, 403);
  const mixed = path.replace(id, other.id);
  assert.equal((await request('GET', mixed, { key: owner.key })).status, 404);
});

test('409: more branches than are read', async () => {
  const { gitDir, head, list } = await withBranches([]);
  const pack = (count: number) =>
    writeFile(
      join(gitDir, 'packed-refs'),
      Array.from({ length: count }, (_, i) => `${head} refs/heads/b${10_000 + i}\n`).join(''),
    );
  await pack(20_000);
  const reply = await list();
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_branches']);
  // With the default branch as many as are read.
  await pack(19_999);
  assert.equal((await list('?limit=1')).status, 200);
});

test('503: a task has worked in it, but it is on another machine', async () => {
  const { project, gitDir, list } = await withBranches([]);
  const task = await fixtures.task(project, owner);
  await turnOf(db, task);
  await db.many(sql`update task_turn set mode = 'build' where task_id = ${task}`);
  assert.equal((await list()).status, 200);
  await rename(gitDir, `${gitDir}.moved`);
  const reply = await list();
  assert.deepEqual([reply.status, reply.body.code], [503, 'repository_elsewhere']);
});

test('503: a person has few places, does not delay others, and gives them back when gone', async () => {
  const [greedy, other] = [await fixtures.user(), await fixtures.user()];
  for (const user of [greedy, other]) await fixtures.member(workspace, user, 'viewer');
  const { gitDir, path, git, list } = await withBranches(['b']);
  const quick = await withBranches(['b']);
  git(['pack-refs', '--all']);
  // Git reads for ever: nothing is written to this pipe.
  await rm(join(gitDir, 'packed-refs'));
  execFileSync('mkfifo', [join(gitDir, 'packed-refs')]);
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${greedy.key}` };
  // Four of the five get a place, of which one runs.
  const asked = Array.from({ length: 5 }, () =>
    fetch(url + path, { headers, signal: leaving.signal }),
  );
  const left = Promise.allSettled(asked);
  const refused = await Promise.race(asked);
  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /"code":"branches_busy"/);
  assert.deepEqual(names(await quick.list('', other)), ['b', 'main']);
  leaving.abort();
  assert.equal((await left).filter((each) => each.status === 'rejected').length, 4);
  await rm(join(gitDir, 'packed-refs'));
  await until('a place is free', async () => (await list('', greedy)).status === 200);
});
