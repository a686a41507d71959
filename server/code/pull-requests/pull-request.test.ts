import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { requestSample, successOf, type Tenant } from '../../testing/contract/tenant.ts';
import { builtTasks } from '../../testing/fixtures/code/built-tasks.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { bindFolder, checkRepositories } from '../repositories/repository-folder.ts';
import { pullRequestActions } from './pull-request.ts';

const harness = await startHarness();
const { db, fixtures, request, routes, unchanged } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const { built, gitIn } = await builtTasks(harness, owner, workspace);

const call = (
  method: 'GET' | 'POST' | 'PUT',
  taskId: string,
  path: string,
  { as = owner, body }: { as?: User; body?: object } = {},
) => request(method, `/api/tasks/${taskId}/${path}`, { key: as.key, ...(body && { body }) });

const open = (taskId: string, as = owner) => call('POST', taskId, 'pull-request', { as });
const get = (taskId: string) => call('GET', taskId, 'pull-request');

test('201: opened once, with the title of the task and its approved plan', async () => {
  const { taskId, head } = await built();
  await fixtures.revision(taskId, '# The plan\n');
  await request('POST', `/api/tasks/${taskId}/plan/approve`, { key: owner.key });
  const first = await open(taskId);
  assert.deepEqual(
    [first.status, first.headers.get('location')],
    [201, `/api/tasks/${taskId}/pull-request`],
  );
  assert.deepEqual(
    [first.body.number, first.body.state, first.body.base, first.body.head_sha, first.body.body],
    [1, 'open', 'main', head, '# The plan\n'],
  );
  const again = await unchanged(() => open(taskId));
  assert.deepEqual([again.status, again.body.number], [200, 1]);
  const task = await request('GET', `/api/tasks/${taskId}`, { key: owner.key });
  assert.deepEqual(task.body.pull_request, { number: 1, state: 'open', base: 'main' });
});

test('two who open it at once get the same one', async () => {
  const { taskId } = await built();
  const both = await Promise.all([open(taskId), open(taskId)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
});

test('numbers are counted within the repository, also at once', async () => {
  const first = await built();
  const others = [];
  for (const name of ['b', 'c', 'd']) others.push(await built({ [name]: '1' }, first.projectId));
  const all = await Promise.all([first, ...others].map(({ taskId }) => open(taskId)));
  assert.deepEqual(all.map(({ body }) => body.number).sort(), [1, 2, 3, 4]);
});

test('404 before it is opened; 409 nothing_to_merge without commits; 503 without the repository', async () => {
  const { taskId, projectId } = await built({});
  const missing = await get(taskId);
  assert.deepEqual([missing.status, missing.body.code], [404, 'pull_request_not_found']);
  const empty = await unchanged(() => open(taskId));
  assert.deepEqual([empty.status, empty.body.code], [409, 'nothing_to_merge']);
  const elsewhere = await fixtures.task(
    await fixtures.project({ organizationId: workspace }),
    owner,
  );
  const refused = await unchanged(() => open(elsewhere));
  assert.deepEqual([refused.status, refused.body.code], [503, 'repository_elsewhere']);
  await db.many(sql`delete from merge_target where project_id = ${projectId}`);
});

test('409 nothing_to_merge in a project in which nothing has worked yet, where the folder is that of the workers', async () => {
  const own = await startHarness({ own: true });
  const person = await own.fixtures.user();
  const project = await own.fixtures.project({ userId: person.id });
  const task = await own.fixtures.task(project, person);
  const send = () => own.request('POST', `/api/tasks/${task}/pull-request`, { key: person.key });
  const elsewhere = await own.unchanged(send);
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [503, 'repository_elsewhere']);
  await checkRepositories(own.repositories);
  await bindFolder(own.db, own.repositories);
  const refused = await own.unchanged(send);
  assert.deepEqual([refused.status, refused.body.code], [409, 'nothing_to_merge']);
});

test('409 no_merge_target in a project without any', async () => {
  const { taskId, projectId } = await built();
  await db.many(sql`delete from merge_target where project_id = ${projectId}`);
  const { status, body } = await unchanged(() => open(taskId));
  assert.deepEqual([status, body.code], [409, 'no_merge_target']);
});

test('whether it can be merged is what git finds now', async () => {
  const one = await built({ 'a.txt': 'one\n', 'b.txt': 'same\n' });
  const two = await built({ 'a.txt': 'two\n', 'b.txt': 'same\n' }, one.projectId);
  await open(one.taskId);
  const before = (await get(one.taskId)).body;
  assert.deepEqual([before.mergeable, before.conflicts], [true, []]);
  const objects = gitIn(one.projectId, 'count-objects');
  gitIn(one.projectId, 'update-ref', 'refs/heads/main', two.head);
  const after = (await get(one.taskId)).body;
  assert.deepEqual([after.mergeable, after.conflicts], [false, ['a.txt']]);
  assert.equal(after.base_sha, two.head);
  assert.equal(gitIn(one.projectId, 'count-objects'), objects, 'nothing is stored by asking');
  gitIn(one.projectId, 'update-ref', '-d', 'refs/heads/main');
  const gone = (await get(one.taskId)).body;
  assert.deepEqual([gone.mergeable, gone.base_sha], ['unknown', undefined]);
});

test('its base is one of the merge targets of the project', async () => {
  const { taskId, projectId } = await built();
  await open(taskId);
  await fixtures.mergeTarget(projectId, 'staging');
  const { status, body } = await call('PUT', taskId, 'merge-target', {
    body: { branch: 'staging' },
  });
  assert.deepEqual([status, body.base], [200, 'staging']);
  for (const [branch, type] of [
    ['main2', 'not_a_merge_target'],
    ['task/x', 'not_a_merge_target'],
    ['-o', 'string_pattern_mismatch'],
    ['../main', 'string_pattern_mismatch'],
  ]) {
    const refused = await unchanged(() =>
      call('PUT', taskId, 'merge-target', { body: { branch } }),
    );
    assert.deepEqual([refused.status, refused.body.detail[0].type], [422, type]);
  }
  const targets = await call('GET', taskId, 'merge-targets');
  assert.deepEqual(targets.body, [
    { branch: 'main', stage: 'production', is_base: false, can_merge: true },
    { branch: 'staging', stage: 'staging', is_base: true, can_merge: true },
  ]);
});

test('why one may not merge is said for each target', async () => {
  const { taskId, projectId } = await built();
  const member = await fixtures.user();
  await fixtures.member(workspace, member);
  const targets = async (as: User) => (await call('GET', taskId, 'merge-targets', { as })).body;
  assert.deepEqual(
    (await targets(owner)).map(({ reason }: { reason: string }) => reason),
    ['no_pull_request'],
  );
  await open(taskId);
  await fixtures.mergeTarget(projectId, 'staging');
  const team = await fixtures.team(workspace);
  await db.many(sql`update team set can_merge_staging = true where id = ${team}`);
  await fixtures.teamMember(team, member);
  const reasons = async () =>
    (await targets(member)).map(({ reason }: { reason?: string }) => reason ?? 'may');
  assert.deepEqual(
    await reasons(),
    ['not_permitted', 'not_permitted'],
    'not a team on the project',
  );
  await fixtures.teamProject(team, projectId);
  assert.deepEqual(await reasons(), ['not_permitted', 'may']);
});

/** How someone stands, by what their team may do. */
async function standing(
  role: 'admin' | 'member' | 'viewer',
  team?: 'can_merge_staging' | 'can_merge_production',
): Promise<User> {
  const person = await fixtures.user();
  await fixtures.member(workspace, person, role);
  if (team === undefined) return person;
  const id = await fixtures.team(workspace);
  await db.many(sql`
    update team set can_merge_staging = ${team === 'can_merge_staging'},
           can_merge_production = ${team === 'can_merge_production'} where id = ${id}`);
  await fixtures.teamMember(id, person);
  await db.many(sql`
    insert into team_project (team_id, organization_id, project_id)
    select ${id}, organization_id, id from project where organization_id = ${workspace}`);
  return person;
}

const routeOf = (name: string): Route =>
  routes.find(({ operationId }) => operationId === name) ?? assert.fail(name);

test('in each state and for everyone: what is available succeeds, and nothing else does', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const staging = await fixtures.project({ organizationId: workspace });
  await fixtures.mergeTarget(project, 'staging');
  await fixtures.mergeTarget(staging, 'staging');
  const people = {
    owner,
    admin: await standing('admin'),
    member: await standing('member'),
    'member of a team for staging': await standing('member', 'can_merge_staging'),
    'member of a team for production': await standing('member', 'can_merge_production'),
    'viewer in a team for production': await standing('viewer', 'can_merge_production'),
  };
  for (const [who, caller] of Object.entries(people))
    for (const base of ['main', 'staging'])
      for (const state of ['open', 'merged', 'closed']) {
        const make = async () => {
          const taskId = await fixtures.task(project, owner);
          await fixtures.pullRequest(taskId, owner);
          await db.many(sql`update pull_request set base = ${base} where task_id = ${taskId}`);
          if (state === 'merged') await fixtures.merge(taskId, owner);
          if (state === 'closed')
            await db.many(sql`update pull_request set state = 'closed' where task_id = ${taskId}`);
          return taskId;
        };
        const tenant = (task_id: string) =>
          ({
            caller,
            successor: owner,
            ids: { task_id, project_id: project },
            otherIds: {},
          }) as unknown as Tenant;
        const shown = await requestSample(
          harness,
          routeOf('get_pull_request'),
          tenant(await make()),
        );
        const available: string[] = shown.body.available_actions;
        for (const name of Object.keys(pullRequestActions)) {
          const route = routeOf(name);
          const reply = await requestSample(harness, route, tenant(await make()));
          const said = `${name} by ${who}, ${state}, into ${base}: ${reply.text}`;
          if (available.includes(name)) assert.equal(reply.status, successOf(route), said);
          else assert.ok([403, 404, 409].includes(reply.status), said);
        }
      }
});
