import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { recordUsage } from './ledger/usage.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const OWN = '/api/billing/spend-limits';
const of = (workspace: string) => `/api/organizations/${workspace}/billing/spend-limits`;

/** A workspace with a project, a task and a member, and their limits. */
async function tenant() {
  const [owner, member] = [await fixtures.user({ name: 'Ada' }), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'member');
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, member);
  const put = (limits: object[], as = owner, headers = {}) =>
    request('PUT', of(workspace), { key: as.key, body: { limits }, headers });
  const get = async () => (await request('GET', of(workspace), { key: owner.key })).body;
  return { owner, member, workspace, project, task, put, get };
}

const short = ({ limits }: { limits: Record<string, unknown>[] }) =>
  limits.map(({ subject, subject_id, amount }) => [subject, subject_id, amount]);

/** Costs nano-USD of a task that a workspace pays for. */
const spend = (workspace: string, task: string, amount: bigint, occurredAt = new Date()) =>
  db.transaction(async (tx) => {
    const { id } = await tx.one<{ id: string }>(sql`
      select id from billing_account where organization_id = ${workspace}`);
    const reference = { type: 'task', id: task };
    await recordUsage(tx, [{ key: randomUUID(), accountId: id, amount, reference, occurredAt }]);
  });

test('200: limits are added, changed and removed one by one; what is not named stays', async () => {
  const { owner, member, workspace, project, task, put } = await tenant();
  const before = await request('GET', of(workspace), { key: owner.key });
  assert.deepEqual([before.status, before.body.limits], [200, []]);
  assert.match(before.body.resets_at, /^\d{4}-\d\d-01T00:00:00\.000Z$/);
  const made = await put([
    { subject: 'task', subject_id: task, amount: 1 },
    { subject: 'member', subject_id: member.id, amount: '2.50' },
    { subject: 'project', subject_id: project, amount: 30 },
    { subject: 'balance', amount: 400 },
  ]);
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(short(made.body), [
    ['balance', undefined, '400.00'],
    ['project', project, '30.00'],
    ['member', member.id, '2.50'],
    ['task', task, '1.00'],
  ]);
  assert.equal(made.body.limits[3].subject_name, 'A task');
  const changed = await put([
    { subject: 'project', subject_id: project.toUpperCase(), amount: 31 },
    { subject: 'balance', amount: null },
    { subject: 'task', subject_id: task, amount: 1 },
  ]);
  assert.deepEqual(short(changed.body), [
    ['project', project, '31.00'],
    ['member', member.id, '2.50'],
    ['task', task, '1.00'],
  ]);
  const rows = await db.many(sql`
    select action, before, after from audit_event
     where organization_id = ${workspace} and action = 'spend_limits.update' order by id`);
  assert.equal(rows.length, 2);
  assert.deepEqual(rows[1], {
    action: 'spend_limits.update',
    before: {
      limits: [
        { subject: 'project', subject_id: project, amount: '30.00' },
        { subject: 'balance', amount: '400.00' },
      ],
    },
    after: {
      limits: [
        { subject: 'project', subject_id: project, amount: '31.00' },
        { subject: 'balance', amount: null },
      ],
    },
  });
});

test('200: what is sent back as it was read, or empty, writes nothing', async () => {
  const { owner, workspace, put, get } = await tenant();
  await put([{ subject: 'balance', amount: 400 }]);
  const body = await get();
  await unchanged(async () => {
    for (const same of [body, {}, { limits: [] }]) {
      const reply = await request('PUT', of(workspace), { key: owner.key, body: same });
      assert.deepEqual([reply.status, reply.body], [200, body]);
    }
  });
});

test('200: each limit shows what was spent of it this month, and its state', async () => {
  const { owner, member, workspace, project, task, put, get } = await tenant();
  const other = await fixtures.task(project, owner);
  await put([
    { subject: 'balance', amount: 100 },
    { subject: 'project', subject_id: project, amount: '1.25' },
    { subject: 'member', subject_id: member.id, amount: '0.75' },
    { subject: 'task', subject_id: other, amount: 10 },
  ]);
  await spend(workspace, task, 750_000_000n);
  await spend(workspace, other, 249_999_001n);
  const { begins } = await db.one<{ begins: Date }>(sql`
    select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as begins`);
  await spend(workspace, other, 5_000_000_000n, new Date(begins.getTime() - 1));
  const shown = (await get()).limits.map((limit: Record<string, unknown>) => [
    limit.subject,
    limit.spent,
    limit.share,
    limit.state,
  ]);
  assert.deepEqual(shown, [
    ['balance', '1.00', 0.01, 'ok'],
    ['project', '1.00', 0.8, 'warned'],
    ['member', '0.75', 1, 'reached'],
    ['task', '0.25', 0.025, 'ok'],
  ]);
});

test('200: a person’s own balance has limits on their projects and on those who work there', async () => {
  const [user, helper] = [await fixtures.user(), await fixtures.user()];
  const project = await fixtures.project({ userId: user.id });
  await fixtures.grant(project, helper, 'member');
  const task = await fixtures.task(project, helper);
  const limits = [
    { subject: 'balance', amount: '9.00' },
    { subject: 'project', subject_id: project, amount: '8.00' },
    { subject: 'member', subject_id: user.id, amount: '7.00' },
    { subject: 'member', subject_id: helper.id, amount: '6.00' },
    { subject: 'task', subject_id: task, amount: '5.00' },
  ];
  const reply = await request('PUT', OWN, { key: user.key, body: { limits } });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.limits.length, 5);
  const theirs = await request('GET', OWN, { key: helper.key });
  assert.deepEqual(theirs.body.limits, []);
});

test('409: more limits than a balance may have', async () => {
  const { owner, workspace, project, put } = await tenant();
  await put([{ subject: 'balance', amount: 1 }]);
  await db.many(sql`
    with made as (
      insert into task (project_id, title, created_by_user_id)
      select ${project}, 'Many', ${owner.id} from generate_series(1, 199) returning id)
    insert into spend_limit (account_id, task_id, amount)
    select a.id, made.id, 1 from made
      join billing_account a on a.organization_id = ${workspace}`);
  const more = { subject: 'project', subject_id: project, amount: 1 };
  const reply = await unchanged(() => put([more]));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_spend_limits']);
  assert.equal((await put([more, { subject: 'balance', amount: null }])).status, 200);
});

test('412: with an If-Match from before another change nothing is written', async () => {
  const { owner, workspace, put } = await tenant();
  const read = await request('GET', of(workspace), { key: owner.key });
  const headers = { 'if-match': read.headers.get('etag') as string };
  const limits = [{ subject: 'balance', amount: 5 }];
  assert.equal((await put(limits, owner, headers)).status, 200);
  const reply = await unchanged(() => put([{ subject: 'balance', amount: 6 }], owner, headers));
  assert.deepEqual([reply.status, reply.body.code], [412, 'spend_limits_changed']);
});

test('422: a limit twice, one without its subject, and what belongs to another', async () => {
  const { owner, member, project, put } = await tenant();
  const other = await tenant();
  const personal = await fixtures.project({ userId: owner.id });
  const id = { subject_id: project };
  const cases: [object[], string[]][] = [
    [[{ subject: 'balance', ...id, amount: 1 }], ['0 subject_id balance_has_no_id']],
    [
      [
        { subject: 'project', amount: 1 },
        { subject: 'balance', amount: 1 },
        { subject: 'balance', amount: 2 },
      ],
      ['0 subject_id missing', '2 subject limit_repeated'],
    ],
    [
      [
        { subject: 'balance', amount: 1 },
        { subject: 'project', subject_id: other.project, amount: 1 },
        { subject: 'project', subject_id: personal, amount: 1 },
        { subject: 'member', subject_id: other.member.id, amount: 1 },
        { subject: 'member', ...id, amount: 1 },
        { subject: 'task', subject_id: other.task, amount: 1 },
        { subject: 'task', subject_id: randomUUID(), amount: null },
      ],
      [1, 2, 3, 4, 5, 6].map((place) => `${place} subject_id subject_not_found`),
    ],
    [[{ subject: 'member', subject_id: member.id }], ['0 amount missing']],
    [[{ subject: 'balance', amount: 0 }], ['0 amount greater_than_equal']],
  ];
  for (const [limits, expected] of cases) {
    const reply = await unchanged(() => put(limits));
    assert.equal(reply.status, 422);
    const found = reply.body.detail.map(
      ({ loc, type }: { loc: string[]; type: string }) => `${loc[2]} ${loc[3]} ${type}`,
    );
    assert.deepEqual(found, expected);
  }
});

test('a limit on a former member stays until it is removed; others end with what they are on', async () => {
  const { member, workspace, project, task, put, get } = await tenant();
  const limit = { subject: 'member', subject_id: member.id };
  await put([
    { ...limit, amount: 1 },
    { subject: 'project', subject_id: project, amount: 2 },
    { subject: 'task', subject_id: task, amount: 3 },
  ]);
  await fixtures.removeMember(workspace, member.id);
  assert.deepEqual(short((await put([{ ...limit, amount: 4 }])).body).length, 3);
  const next = await fixtures.workspace(await fixtures.user());
  await db.many(sql`update project set organization_id = ${next} where id = ${project}`);
  assert.deepEqual(short(await get()), [['member', member.id, '4.00']]);
  await put([{ ...limit, amount: null }]);
  const reply = await put([{ ...limit, amount: 1 }]);
  assert.equal(reply.body.detail[0].type, 'subject_not_found');
});

test('the limits of a workspace end with it', async () => {
  const { owner, member, workspace, put } = await tenant();
  await put([
    { subject: 'balance', amount: 1 },
    { subject: 'member', subject_id: member.id, amount: 1 },
  ]);
  const path = `/api/organizations/${workspace}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 200);
  assert.deepEqual(await db.many(sql`select id from spend_limit where user_id = ${member.id}`), []);
  const left = await db.many(sql`
    select l.id from spend_limit l join billing_account a on a.id = l.account_id
     where a.status = 'closed'`);
  assert.deepEqual(left, []);
});

test('race: a project that is given away while it is limited takes its limit with it', async () => {
  const { workspace, project, put } = await tenant();
  const next = await fixtures.workspace(await fixtures.user());
  for (let round = 0; round < 10; round++) {
    await db.many(sql`update project set organization_id = ${workspace} where id = ${project}`);
    await Promise.all([
      put([{ subject: 'project', subject_id: project, amount: 1 + round }]),
      db.many(sql`update project set organization_id = ${next} where id = ${project}`),
    ]);
    assert.deepEqual(
      await db.many(sql`select id from spend_limit where project_id = ${project}`),
      [],
    );
  }
});
