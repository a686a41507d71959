import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

const inbox = async ({ key }: User, query = '') =>
  (await request('GET', `/api/inbox${query}`, { key })).body;
const kinds = async (user: User): Promise<string[]> =>
  (await inbox(user)).map(({ kind }: { kind: string }) => kind);

/** A workspace with a project, in which a task's plan waits for approval. */
async function waiting(owner: User) {
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  return { workspace, project, task };
}

test('200: a plan to approve, until its current version is approved', async () => {
  const owner = await fixtures.user();
  assert.deepEqual(await inbox(owner), []);
  const { workspace, project, task } = await waiting(owner);
  const [{ since, ...entry }, ...more] = await inbox(owner);
  assert.deepEqual(
    [entry, more],
    [
      {
        kind: 'plan_approval',
        title: 'A task',
        task_id: task,
        project_id: project,
        organization_id: workspace,
      },
      [],
    ],
  );
  assert.match(since, /Z$/);
  const approve = () => request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key });
  await approve();
  assert.deepEqual(await inbox(owner), []);
  await fixtures.revision(task);
  const [revised] = await inbox(owner);
  assert.ok(revised.task_id === task && revised.since > since, 'a newer version waits again');
  await approve();
  assert.deepEqual(await inbox(owner), []);
});

test('200: plans of a personal project are its owner’s; those of an archived project wait for no one', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  await fixtures.revision(await fixtures.task(project, owner));
  const [{ organization_id, project_id }] = await inbox(owner);
  assert.deepEqual([organization_id, project_id], [undefined, project]);
  await db.many(sql`update project set archived_at = now() where id = ${project}`);
  assert.deepEqual(await inbox(owner), []);
});

test('200: a plan waits for exactly those who may approve it', async () => {
  for (const ownership of ['workspace', 'personal', 'released'])
    for (const membership of ['none', 'admin', 'member', 'viewer', 'custom'] as const)
      for (const grant of ['none', 'admin', 'member', 'viewer'] as const)
        for (const [twoFactor, policy] of [
          [true, true],
          [false, true],
          [false, false],
        ] as const) {
          const owner = await fixtures.user({ twoFactor: true });
          const subject = await fixtures.user({ twoFactor });
          const workspace = await fixtures.workspace(owner, { require2fa: policy });
          if (membership !== 'none') {
            const role =
              membership === 'custom'
                ? await fixtures.role(workspace, { actsAs: 'viewer' })
                : membership;
            await fixtures.member(workspace, subject, role);
          }
          const project = await fixtures.project(
            { workspace: { organizationId: workspace }, personal: { userId: owner.id } }[
              ownership
            ] ?? {},
          );
          if (grant !== 'none') await fixtures.grant(project, subject, grant);
          const task = await fixtures.task(project, owner);
          await fixtures.revision(task);
          const listed = (await inbox(subject)).some(
            (entry: { task_id?: string }) => entry.task_id === task,
          );
          const { status } = await request('POST', `/api/tasks/${task}/plan/approve`, {
            key: subject.key,
          });
          const what = `${ownership} ${membership} ${grant} ${twoFactor} ${policy}`;
          assert.equal(listed, status === 200, what);
        }
});

test('200: questions of agents and tasks without funds, for those who may work on them', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const [member, viewer] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, viewer, 'viewer');
  const [asking, paused] = [
    await fixtures.task(project, owner),
    await fixtures.task(project, owner),
  ];
  const question = await fixtures.request(asking);
  await fixtures.taskStatus(asking, 'awaiting_answer');
  await fixtures.turn(paused, { state: 'interrupted', attempt: 1 });
  await fixtures.taskStatus(paused, 'paused');
  for (const user of [owner, member])
    assert.deepEqual(
      (await inbox(user)).map((each: { kind: string; task_id: string }) => [
        each.kind,
        each.task_id,
      ]),
      [
        ['funds', paused],
        ['question', asking],
      ],
    );
  assert.deepEqual(await inbox(viewer), []);
  await request('POST', `/api/tasks/${asking}/requests/${question}/answer`, {
    key: member.key,
    body: { option_id: 'yes' },
  });
  await request('POST', `/api/tasks/${paused}/resume`, { key: member.key });
  assert.deepEqual(await inbox(owner), []);
});

test('200: invitations to the caller’s address, in any case, until they expire or are answered', async () => {
  const owner = await fixtures.user();
  const guest = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  const invite = (options: object) =>
    fixtures.invitation(workspace, { email: guest.email.toUpperCase(), ...options });
  await invite({ status: 'declined' });
  await invite({ status: 'revoked' });
  const id = await invite({});
  const [{ since, ...entry }, ...more] = await inbox(guest);
  assert.deepEqual(
    [entry, more],
    [{ kind: 'invitation', invitation_id: id, organization_id: workspace, title: 'Acme' }, []],
  );
  assert.deepEqual(await inbox(owner), []);
  await db.many(sql`update invitation set expires_at = now() where id = ${id}`);
  assert.deepEqual(await inbox(guest), []);
});

test('200: an invitation to a project names it', async () => {
  const owner = await fixtures.user();
  const guest = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  await db.many(sql`
    insert into invitation (project_id, scope, email, role_id)
    select ${project}, 'project', ${guest.email}, id from role
     where organization_id is null and scope = 'project' and slug = 'member'`);
  const [{ kind, project_id, organization_id, title }] = await inbox(guest);
  assert.deepEqual([kind, project_id, organization_id], ['invitation', project, undefined]);
  assert.match(title, /^Project /);
});

test('200: pages hold what the whole list holds, in its order', async () => {
  const owner = await fixtures.user();
  for (let i = 0; i < 4; i++) await waiting(owner);
  const inviter = await fixtures.user();
  for (let i = 0; i < 3; i++)
    await fixtures.invitation(await fixtures.workspace(inviter), { email: owner.email });
  const whole = await inbox(owner);
  const times = whole.map(({ since }: { since: string }) => since);
  assert.deepEqual([whole.length, times], [7, [...times].sort().reverse()]);
  const pages: unknown[] = [];
  let next: string | undefined = '/api/inbox?limit=3';
  while (next !== undefined) {
    const reply: Awaited<ReturnType<typeof request>> = await request('GET', next, {
      key: owner.key,
    });
    pages.push(...reply.body);
    next = /^<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
  const bad = await request('GET', '/api/inbox?cursor=AAAA', { key: owner.key });
  assert.deepEqual([bad.status, bad.body.detail[0].type], [422, 'cursor_invalid']);
});

test('200: a key of one workspace lists what is in it, and nothing else', async () => {
  const owner = await fixtures.user();
  const inside = await waiting(owner);
  await waiting(owner);
  await fixtures.fund({ userId: owner.id }, '-1.00');
  await fixtures.invitation(await fixtures.workspace(await fixtures.user()), {
    email: owner.email,
  });
  assert.equal((await inbox(owner)).length, 4);
  await db.many(
    sql`update api_key set organization_id = ${inside.workspace} where user_id = ${owner.id}`,
  );
  const entries = await inbox(owner);
  assert.deepEqual(
    entries.map(({ task_id }: { task_id: string }) => task_id),
    [inside.task],
  );
});

test('a plan knows its project and the time of its revision; a task stays in its project', async () => {
  const owner = await fixtures.user();
  const { project, task } = await waiting(owner);
  const place = () => db.one(sql`select project_id, revised_at from plan where task_id = ${task}`);
  const revision = (version: number) =>
    db.one(sql`
      select ${project}::uuid as project_id, created_at as revised_at from plan_revision
       where task_id = ${task} and version = ${version}`);
  assert.deepEqual(await place(), await revision(1));
  await fixtures.revision(task);
  assert.deepEqual(await place(), await revision(2));
  const other = await fixtures.project({ userId: owner.id });
  await assert.rejects(
    db.many(sql`update task set project_id = ${other} where id = ${task}`),
    /task.project_id never changes/,
  );
  assert.deepEqual(await kinds(owner), ['plan_approval']);
});
