import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import {
  addressOf,
  contentOf,
  folder,
  git,
  gitIn,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { gitDirOf } from '../repositories/git.ts';

/** Pushes to branches that are not of tasks: the first one, and those that a project lets admins do. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, db, fixtures, request, unchanged } = await startHarness({
  env: { DATA_DIR: dataDir },
});
const repositories = await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const [owner, member, viewer] = [
  await fixtures.user(),
  await fixtures.user(),
  await fixtures.user(),
];
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, member, 'member');
await fixtures.member(workspace, viewer, 'viewer');

/** A history of its own. */
async function history(name: string): Promise<string> {
  const mine = join(home, name);
  await git(home, 'init', '--quiet', '--initial-branch=trunk', mine);
  for (const n of [1, 2]) {
    await writeFile(join(mine, 'a.txt'), `${name} ${n}`);
    await git(mine, 'add', '.');
    await git(mine, 'commit', '--quiet', '-m', `${name} ${n}`);
  }
  return mine;
}
const one = await history('one');
const two = await history('two');

async function project() {
  const id = await fixtures.project({ organizationId: workspace });
  const to = (by: User) => addressOf(url, id, by.key);
  // The server makes the repository when it is first asked for.
  await git(home, 'ls-remote', to(owner));
  const gitDir = gitDirOf(repositories, id);
  const push = (by: User, from: string, ...refs: string[]) =>
    gitIn(from, 'push', '--force', to(by), ...refs);
  const pushes = () =>
    db.many<{ by: string; before: object; after: object }>(sql`
      select actor_user_id as by, before, after from audit_event
       where project_id = ${id} and action = 'repository.push' order by id`);
  const refused = async (says: RegExp, by: User, from: string, ...refs: string[]) => {
    const before = await contentOf(gitDir);
    const { ok, text } = await unchanged(() => push(by, from, ...refs));
    assert.equal(ok, false, text);
    assert.match(text, says);
    assert.deepEqual(await contentOf(gitDir), before);
  };
  return { id, gitDir, push, pushes, refused };
}

const ONLY_TASKS = /remote: Only branches of tasks of this project can be pushed/;

test('an empty repository takes any history to its default branch, once, and records it', async () => {
  const { gitDir, push, pushes, refused } = await project();
  const first = await git(gitDir, 'rev-parse', 'main');
  const pushed = await push(owner, one, 'HEAD:main');
  assert.ok(pushed.ok, pushed.text);
  const head = await git(one, 'rev-parse', 'HEAD');
  assert.equal(await git(gitDir, 'rev-parse', 'main'), head);
  assert.deepEqual(await pushes(), [
    { by: owner.id, before: { branches: { main: first } }, after: { branches: { main: head } } },
  ]);
  await refused(ONLY_TASKS, owner, two, 'HEAD:main');
});

test('only by whoever may merge there, to no other branch, and not to delete it', async () => {
  const { id, push, refused } = await project();
  await refused(ONLY_TASKS, member, one, 'HEAD:main');
  await refused(/not let you|may_not_push|403|but not push/, viewer, one, 'HEAD:main');
  await refused(ONLY_TASKS, owner, one, 'HEAD:other');
  await refused(ONLY_TASKS, owner, one, 'HEAD:main', 'HEAD:refs/tags/v1');
  await refused(ONLY_TASKS, owner, one, ':main');
  const team = await fixtures.team(workspace);
  await db.many(sql`update team set can_merge_production = true where id = ${team}`);
  await fixtures.teamMember(team, member);
  await fixtures.teamProject(team, id);
  const pushed = await push(member, one, 'HEAD:main');
  assert.ok(pushed.ok, pushed.text);
});

test('race: of two first pushes one wins, and the other changes nothing', async () => {
  for (let round = 0; round < 3; round++) {
    const { gitDir, push } = await project();
    const both = await Promise.all([push(owner, one, 'HEAD:main'), push(owner, two, 'HEAD:main')]);
    assert.equal(both.filter(({ ok }) => ok).length, 1, both.map(({ text }) => text).join('\n'));
    const winner = both[0]?.ok ? one : two;
    assert.equal(await git(gitDir, 'rev-parse', 'main'), await git(winner, 'rev-parse', 'HEAD'));
  }
});

test('while something is imported, nothing is pushed past tasks', async () => {
  const { id, refused } = await project();
  const path = `/api/projects/${id}/repositories`;
  const [{ id: repository }] = (await request('GET', path, { key: owner.key })).body;
  const body = { url: 'https://127.0.0.1:9/a.git' };
  const asked = await request('POST', `${path}/${repository}/import`, { key: owner.key, body });
  assert.equal(asked.status, 201);
  await refused(ONLY_TASKS, owner, one, 'HEAD:main');
});

test('direct_push lets admins push to branches that are not of tasks, and records each', async () => {
  const { id, gitDir, push, pushes, refused } = await project();
  assert.ok((await push(owner, one, 'HEAD:main')).ok);
  await refused(ONLY_TASKS, owner, one, 'HEAD:feature');
  const path = `/api/projects/${id}`;
  const denied = await unchanged(() =>
    request('PUT', path, { key: member.key, body: { direct_push: 'admins' } }),
  );
  assert.equal(denied.status, 403);
  const set = await request('PUT', path, { key: owner.key, body: { direct_push: 'admins' } });
  assert.deepEqual([set.status, set.body.direct_push], [200, 'admins']);
  const pushed = await push(owner, one, 'HEAD:feature', 'HEAD~1:main');
  assert.ok(pushed.ok, pushed.text);
  assert.equal(await git(gitDir, 'rev-parse', 'feature'), await git(one, 'rev-parse', 'HEAD'));
  assert.equal((await pushes()).length, 2);
  await refused(ONLY_TASKS, member, two, 'HEAD:feature');
  await refused(ONLY_TASKS, owner, two, 'HEAD:refs/tags/v1');
  await refused(ONLY_TASKS, owner, two, 'HEAD:task/nothing');
  await refused(ONLY_TASKS, owner, two, 'HEAD:refs/guildhall/x');
  await refused(/deletion of the current branch prohibited|refused|declined/, owner, two, ':main');
});
