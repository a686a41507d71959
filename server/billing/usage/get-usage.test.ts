import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { usageOn } from '../../testing/fixtures/billing/usage.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { groupings } from './usage-query.ts';

const harness = await startHarness();
const { db, fixtures, request } = harness;
const { use, tenant } = usageOn(harness);

const MARCH = 'from=2026-03-01&to=2026-03-31';
const get = (path: string, by: User, query: string = MARCH) =>
  request('GET', `${path}?${query}`, { key: by.key });
const amountFor = async (path: string, by: User) => {
  const { status, body } = await get(path, by);
  return status === 200 ? body.total.amount : body.code;
};

test('200: sums of each kind in all and by group, with names as they are now', async () => {
  const t = await tenant();
  await use(t.task, t.member, { nano: 1, model: 'large', inputTokens: 10, outputTokens: 2 });
  await use(t.task, t.member, { nano: 2_000_000_000, model: 'small', inputTokens: 5 });
  await use(t.otherTask, t.admin, { nano: 999_999_998, model: 'large', day: '2026-03-31' });
  await use(t.otherTask, null, { nano: 0, kind: 'pod', podSeconds: 90, day: '2026-03-01' });
  await use(t.task, t.member, { nano: 5, day: '2026-02-28' });
  await use(t.task, t.member, { nano: 5, day: '2026-04-01' });
  await db.many(sql`update task set title = 'Renamed' where id = ${t.task}`);

  const path = `/api/organizations/${t.workspace}/usage`;
  const { status, body, headers } = await get(path, t.owner, `${MARCH}&group_by=task`);
  const none = { input_tokens: 0, output_tokens: 0, pod_seconds: 0 };
  const total = { amount: '2.999999999', input_tokens: 15, output_tokens: 2, pod_seconds: 90 };
  const name = async (id: string) =>
    (await db.one<{ name: string }>(sql`select name from project where id = ${id}`)).name;
  const { title } = await db.one<{ title: string }>(sql`
    select title from task where id = ${t.otherTask}`);
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        from: '2026-03-01',
        to: '2026-03-31',
        total: { ...total, lines: 4 },
        groups: [
          {
            task_id: t.task,
            task_title: 'Renamed',
            project_id: t.project,
            project_name: await name(t.project),
            ...none,
            amount: '2.000000001',
            input_tokens: 15,
            output_tokens: 2,
            lines: 2,
          },
          {
            task_id: t.otherTask,
            task_title: title,
            project_id: t.other,
            project_name: await name(t.other),
            ...none,
            amount: '0.999999998',
            pod_seconds: 90,
            lines: 2,
          },
        ],
      },
    ],
  );
  assert.equal(headers.get('link'), null);

  const shown = async (query: string, ...names: string[]) =>
    (await get(path, t.owner, `${MARCH}&${query}`)).body.groups.map(
      (group: Record<string, unknown>) => [...names.map((each) => group[each]), group.amount],
    );
  const [large, small] = ['0.999999999', '2.00'];
  assert.deepEqual(await shown('group_by=model', 'model'), [
    ['small', small],
    ['large', large],
    [undefined, '0.00'],
  ]);
  assert.deepEqual(await shown('', 'day'), [
    ['2026-03-01', '0.00'],
    ['2026-03-04', '2.000000001'],
    ['2026-03-31', '0.999999998'],
  ]);
  assert.deepEqual(await shown('group_by=member,day&kind=model', 'user_id', 'day'), [
    [t.member.id, '2026-03-04', '2.000000001'],
    [t.admin.id, '2026-03-31', '0.999999998'],
  ]);
  assert.deepEqual(await shown(`group_by=workspace&project_id=${t.other}`, 'organization_id'), [
    [t.workspace, '0.999999998'],
  ]);
  assert.deepEqual(await shown('group_by=project&model=large', 'project_id'), [
    [t.other, '0.999999998'],
    [t.project, '0.000000001'],
  ]);
  assert.deepEqual(await shown(`user_id=${t.admin.id}&task_id=${t.task}`), []);
});

test('200: owners and admins see all of it, others what they asked for, and strangers nothing', async () => {
  const t = await tenant();
  await use(t.task, t.owner, { nano: 1_000_000_000 });
  await use(t.task, t.member, { nano: 200_000_000 });
  await use(t.otherTask, t.member, { nano: 30_000_000 });
  await use(t.task, t.collaborator, { nano: 4_000_000 });
  await use(t.task, null, { nano: 500_000 });
  const custom = await fixtures.user();
  await fixtures.member(t.workspace, custom, await fixtures.role(t.workspace, { actsAs: 'admin' }));
  const expected: [User, string, string, string, string][] = [
    [t.owner, '1.2345', '1.2045', '1.2045', '1.0005'],
    [t.admin, '1.2345', '1.2045', '1.2045', '0.00'],
    [custom, '1.2345', '1.2045', '1.2045', '0.00'],
    [t.member, '0.23', '0.20', '0.20', '0.23'],
    [t.viewer, '0.00', '0.00', '0.00', '0.00'],
    [t.collaborator, 'forbidden', '0.004', '0.004', '0.004'],
    [t.stranger, 'forbidden', 'forbidden', 'forbidden', '0.00'],
  ];
  for (const [by, ofWorkspace, ofProject, ofTask, own] of expected) {
    const paths = [
      `/api/organizations/${t.workspace}/usage`,
      `/api/projects/${t.project}/usage`,
      `/api/tasks/${t.task}/usage`,
      '/api/usage',
    ];
    const seen = await Promise.all(paths.map((path) => amountFor(path, by)));
    assert.deepEqual(seen, [ofWorkspace, ofProject, ofTask, own]);
  }
});

test('200: whoever created a task sees all of it', async () => {
  const t = await tenant();
  const task = await fixtures.task(t.project, t.member);
  await use(task, t.admin, { nano: 700_000_000 });
  assert.equal(await amountFor(`/api/tasks/${task}/usage`, t.member), '0.70');
  assert.equal(await amountFor(`/api/projects/${t.project}/usage`, t.member), '0.00');
});

test('200: one’s own is what one asked for and what one’s balance paid, and for a key of one workspace what that paid', async () => {
  const t = await tenant();
  await use(t.task, t.member, { nano: 1_000_000_000 });
  const project = await fixtures.project({ userId: t.member.id });
  const task = await fixtures.task(project, t.member);
  await fixtures.grant(project, t.stranger, 'member');
  await use(task, t.stranger, { nano: 200_000_000 });
  await use(task, t.member, { nano: 30_000_000 });
  assert.equal(await amountFor('/api/usage', t.member), '1.23');
  assert.equal(await amountFor('/api/usage', t.stranger), '0.20');
  assert.equal(await amountFor(`/api/projects/${project}/usage`, t.member), '0.23');
  const { body } = await get('/api/usage', t.member, `${MARCH}&group_by=workspace`);
  assert.deepEqual(
    body.groups.map((group: Record<string, unknown>) => [group.organization_id, group.amount]),
    [
      [t.workspace, '1.00'],
      [undefined, '0.23'],
    ],
  );
  await db.many(sql`
    update api_key set organization_id = ${t.workspace} where user_id = ${t.member.id}`);
  assert.equal(await amountFor('/api/usage', t.member), '1.00');
});

test('200: what was deleted keeps its id and place, and whoever cannot open it any more sees no name', async () => {
  const t = await tenant();
  await use(t.task, t.member, { nano: 1_000_000_000 });
  const own = async () =>
    (await get('/api/usage', t.member, `${MARCH}&group_by=task,workspace`)).body.groups[0];
  const named = ['task_title', 'project_name', 'organization_name'];
  const before = await own();
  assert.deepEqual(
    named.filter((name) => name in before),
    named,
  );
  await db.many(sql`delete from task where id = ${t.task}`);
  const { task_title: _, ...kept } = before;
  assert.deepEqual(await own(), kept);
  await fixtures.removeMember(t.workspace, t.member.id);
  const left = await own();
  assert.deepEqual(
    named.filter((name) => name in left),
    [],
  );
  assert.deepEqual(
    [left.task_id, left.project_id, left.organization_id, left.amount],
    [t.task, t.project, t.workspace, '1.00'],
  );
  assert.equal((await get(`/api/tasks/${t.task}/usage`, t.owner)).status, 404);
});

test('200: pages of groups, each once, with the same total, whatever costs the same or is missing', async () => {
  const t = await tenant();
  for (const task of [t.task, t.otherTask])
    for (const by of [t.owner, t.member, null])
      for (const line of [{ model: 'large' }, { model: 'small' }, { kind: 'pod' as const }])
        for (const day of [1, 2]) await use(task, by, { ...line, nano: 7, day: `2026-03-0${day}` });
  const path = `/api/organizations/${t.workspace}/usage`;
  for (const by of groupings) {
    const query = `${MARCH}&group_by=${by}`;
    const whole = (await get(path, t.owner, query)).body;
    const found: unknown[] = [];
    let next: string | undefined = `${path}?${query}&limit=2`;
    while (next !== undefined) {
      const { body, headers } = await request('GET', next, { key: t.owner.key });
      assert.deepEqual(body.total, whole.total);
      found.push(...body.groups);
      next = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(found, whole.groups, by);
  }
});

test('200: without a period, the 30 days until today', async () => {
  const t = await tenant();
  const today = new Date().toISOString().slice(0, 10);
  await use(t.task, t.owner, { nano: 1_000_000_000, day: today });
  const { body } = await get('/api/usage', t.owner, '');
  assert.equal(body.to >= today, true);
  assert.equal((Date.parse(body.to) - Date.parse(body.from)) / 86_400_000, 29);
  assert.equal(body.total.amount, '1.00');
});

test('422: a period that ends before it begins or has more than 366 days, and groups that are none', async () => {
  const { owner } = await tenant();
  for (const [query, code] of [
    ['from=2026-03-02&to=2026-03-01', 'from_after_to'],
    ['from=2025-03-01&to=2026-03-02', 'period_too_long'],
    ['from=2020-03-01', 'period_too_long'],
    ['from=2026-02-30', 'date_from_datetime_parsing'],
    ['group_by=task,task', 'literal_error'],
    ['group_by=task,day,model', 'literal_error'],
    ['group_by=account', 'literal_error'],
    ['cursor=abc', 'cursor_invalid'],
    ['limit=201', 'less_than_equal'],
  ] as const) {
    const { status, body } = await get('/api/usage', owner, query);
    assert.deepEqual([status, body.detail?.[0]?.type], [422, code], query);
  }
  for (const query of [
    'from=2025-03-01&to=2026-03-01',
    'from=0001-01-01&to=0001-01-02',
    'to=0001-01-01',
  ])
    assert.equal((await get('/api/usage', owner, query)).status, 200, query);
});
