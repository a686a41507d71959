import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlState } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

// What the schema does when the row of a project is deleted, whichever operation does it.

const { fixtures, request, db, owner: asOwner, snapshot, unchanged } = await startHarness();

async function plannedProject(tasks = 1) {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  await fixtures.team(workspace, { addToNew: true });
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, await fixtures.user(), 'viewer');
  const all = await Promise.all(
    Array.from({ length: tasks }, async () => {
      const task = await fixtures.task(project, user);
      await fixtures.revision(task);
      await fixtures.revision(task);
      return task;
    }),
  );
  const approve = (task: string) =>
    request('POST', `/api/tasks/${task}/plan/approve`, { key: user.key });
  return { user, project, task: all[0] as string, tasks: all, approve };
}

const deletion = (project: string) => sql`delete from project where id = ${project}`;

/** How many rows of each table belong to the project. */
const rowsOf = (project: string, tasks: string[]) =>
  db.one(sql`
    select (select count(*)::int from project where id = ${project}) as project,
           (select count(*)::int from project_grant where project_id = ${project}) as project_grant,
           (select count(*)::int from team_project where project_id = ${project}) as team_project,
           (select count(*)::int from task where id = any (${tasks}::uuid[])) as task,
           (select count(*)::int from plan where task_id = any (${tasks}::uuid[])) as plan,
           (select count(*)::int from plan_revision
             where task_id = any (${tasks}::uuid[])) as plan_revision,
           (select count(*)::int from plan_approval
             where task_id = any (${tasks}::uuid[])) as plan_approval`);

test('the role of the server deletes a project with approved plans in one statement: all that is part of it goes, history stays', async () => {
  const other = await plannedProject();
  await other.approve(other.task);
  const { project, tasks, task, approve } = await plannedProject(3);
  assert.equal((await approve(task)).status, 200);
  assert.deepEqual(await rowsOf(project, tasks), {
    project: 1,
    project_grant: 1,
    team_project: 1,
    task: 3,
    plan: 3,
    plan_revision: 6,
    plan_approval: 1,
  });
  const before = await snapshot();
  await db.many(deletion(project));
  const left = Object.values((await rowsOf(project, tasks)) as Record<string, number>);
  assert.deepEqual(new Set(left), new Set([0]));
  const after = await snapshot();
  for (const table of [
    'outbox',
    'organization',
    'team',
    'membership',
    'app_user',
    'billing_account',
  ])
    assert.equal(after[table], before[table], table);
  const { n } = await db.one<{ n: number }>(
    sql`select count(*)::int as n from audit_event where target_id = ${task}`,
  );
  assert.equal(n, 1);
  assert.equal(
    ((await rowsOf(other.project, other.tasks)) as { plan_approval: number }).plan_approval,
    1,
  );
});

test('revisions and approvals of an existing task cannot be changed, not even by the owner of the tables', async () => {
  const { task, approve } = await plannedProject();
  await approve(task);
  const changes: Sql[] = [
    sql`delete from plan_revision where task_id = ${task}`,
    sql`delete from plan_approval where task_id = ${task}`,
    sql`update plan_revision set body = 'other' where task_id = ${task}`,
    sql`update plan_approval set approved_at = now() where task_id = ${task}`,
    sql`truncate plan_approval cascade`,
    sql`truncate plan_revision cascade`,
    sql`truncate task cascade`,
  ];
  await unchanged(async () => {
    for (const change of changes) {
      await assert.rejects(asOwner(change), { code: '23000' }, change.strings[0]);
      await assert.rejects(db.many(change), (error) => ['42501'].includes(sqlState(error)));
    }
  });
});

test('what a plan says of its approval is what the approval says', async () => {
  const { task, approve } = await plannedProject();
  const stranger = await fixtures.user();
  const wrongly = (change: Sql) =>
    assert.rejects(
      db.many(sql`update plan set ${change} where task_id = ${task}`),
      { constraint: 'plan_approved_as' },
      change.strings[0],
    );
  await unchanged(() =>
    wrongly(
      sql`approved_version = 2, approved_by_user_id = ${stranger.id}, approved_at = clock_timestamp()`,
    ),
  );
  await approve(task);
  await unchanged(async () => {
    await wrongly(sql`approved_by_user_id = ${stranger.id}`);
    await wrongly(sql`approved_at = approved_at + interval '1 microsecond'`);
    await wrongly(sql`approved_version = 1`);
  });
});

test('race: approvals of ten plans against the deletion of their project: approved or not found, never half', async () => {
  for (let round = 0; round < 5; round++) {
    const { project, tasks, approve } = await plannedProject(10);
    const deleted = new Promise((done) => setTimeout(done, round * 4)).then(() =>
      db.many(deletion(project)),
    );
    const replies = await Promise.all(tasks.map(approve));
    await deleted;
    for (const { status, body } of replies) {
      assert.ok(status === 200 || status === 404, `${status} ${body.code}`);
    }
    const left = Object.values((await rowsOf(project, tasks)) as Record<string, number>);
    assert.deepEqual(new Set(left), new Set([0]));
    const starts = await db.many<{ task: string }>(sql`
      select payload ->> 'task_id' as task from outbox
       where topic = 'agent_start' and payload ->> 'task_id' = any (${tasks})`);
    const approved = tasks.filter((_, i) => replies[i]?.status === 200);
    assert.deepEqual(starts.map(({ task }) => task).sort(), approved.sort());
  }
});
