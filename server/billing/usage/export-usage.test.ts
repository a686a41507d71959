import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { usageOn } from '../../testing/fixtures/billing/usage.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { settleUsage } from '../ledger/usage.ts';
import { answerExport } from './export.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const { use, tenant, payerOf } = usageOn(harness);

const MARCH = 'from=2026-03-01&to=2026-03-31';
const get = (path: string, by: User, query: string) =>
  request('GET', `${path}/export?${query}`, { key: by.key });
type Line = Record<string, string>;
async function linesOf(path: string, by: User, query = MARCH): Promise<Line[]> {
  const { text } = await get(path, by, `format=jsonl&${query}`);
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}
/** Nano-USD of a decimal in USD. */
const nano = (usd: string) => {
  const [whole = '', rest = ''] = usd.split('.');
  return BigInt(whole + rest.padEnd(9, '0'));
};
const sumOf = (lines: Line[]) => lines.reduce((sum, { amount = '' }) => sum + nano(amount), 0n);

test('200: every line of the period in the order of its time, as CSV or JSON lines', async () => {
  const t = await tenant();
  await use(t.task, t.member, {
    nano: 1_500,
    model: '=SUM(A1)',
    inputTokens: 7,
    day: '2026-03-31',
  });
  await use(t.otherTask, null, { nano: 0, kind: 'pod', podSeconds: 60, day: '2026-03-01' });
  await use(t.task, t.member, { nano: 1, day: '2026-02-28' });
  await use(t.task, t.member, { nano: 1, day: '2026-04-01' });
  const path = `/api/organizations/${t.workspace}/usage`;
  const lines = await linesOf(path, t.owner);
  const place = { organization_id: t.workspace };
  assert.deepEqual(
    lines.map(({ id: _, ...line }) => line),
    [
      {
        occurred_at: '2026-03-01T12:00:00.000Z',
        kind: 'pod',
        task_id: t.otherTask,
        project_id: t.other,
        ...place,
        user_id: t.owner.id,
        amount: '0.00',
        pod_seconds: 60,
      },
      {
        occurred_at: '2026-03-31T12:00:00.000Z',
        kind: 'model',
        task_id: t.task,
        project_id: t.project,
        ...place,
        user_id: t.member.id,
        model: '=SUM(A1)',
        amount: '0.0000015',
        input_tokens: 7,
      },
    ],
  );
  const { status, text, headers } = await get(path, t.owner, MARCH);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="usage-${t.workspace}-2026-03-01-2026-03-31.csv"`,
  );
  const [head, first, second, ...rest] = text.split('\r\n');
  assert.match(head as string, /^id,occurred_at,kind,task_id,.*,pod_seconds,paid_by_you$/);
  assert.match(first as string, /,pod,.*,,0\.00,,,60,$/);
  assert.match(second as string, /,'=SUM\(A1\),0\.0000015,7,,,$/);
  assert.deepEqual(rest, ['']);
});

test('200: its sum is what the ledger took and what is pending, to the nano-USD, and that of get_usage', async () => {
  const t = await tenant();
  for (let i = 0; i < 40; i++) {
    await use(i % 2 ? t.task : t.otherTask, t.member, { nano: 7_777_777 * i + 1 });
    if (i % 9 === 0) await settleUsage(db);
  }
  const path = `/api/organizations/${t.workspace}/usage`;
  const sum = sumOf(await linesOf(path, t.admin));
  const account = await payerOf(t.task);
  const { charged, carried, pending } = await db.one<
    Record<'charged' | 'carried' | 'pending', bigint>
  >(sql`
    select (select coalesce(sum(amount), 0)::bigint * 1000 from ledger_transfer
             where account_id = ${account} and kind = 'usage') as charged,
           (select carried_out::bigint from usage_settlement where account_id = ${account}
             order by number desc limit 1) as carried,
           (select coalesce(sum(amount), 0)::bigint from usage_event
             where account_id = ${account} and settlement_id is null) as pending`);
  assert.ok(charged > 0n && pending > 0n);
  assert.equal(sum, charged + carried + pending);
  const { body } = await request('GET', `${path}?${MARCH}`, { key: t.admin.key });
  assert.equal(sum, nano(body.total.amount));
});

test('200: the lines that the sums are of, for everyone', async () => {
  const t = await tenant();
  for (const by of [t.owner, t.member, t.collaborator, null]) await use(t.task, by, { nano: 10 });
  await use(t.otherTask, t.member, { nano: 10 });
  const project = await fixtures.project({ userId: t.member.id });
  const task = await fixtures.task(project, t.member);
  await fixtures.grant(project, t.stranger, 'member');
  await use(task, t.stranger, { nano: 10 });
  const paths = [
    `/api/organizations/${t.workspace}/usage`,
    `/api/projects/${t.project}/usage`,
    `/api/tasks/${t.task}/usage`,
    '/api/usage',
  ];
  for (const by of [t.owner, t.admin, t.member, t.viewer, t.collaborator, t.stranger])
    for (const path of paths) {
      const summed = await request('GET', `${path}?${MARCH}`, { key: by.key });
      if (summed.status !== 200) {
        const { status, body } = await get(path, by, MARCH);
        assert.deepEqual([status, body.code], [403, 'forbidden']);
        continue;
      }
      const lines = await linesOf(path, by);
      assert.equal(lines.length, summed.body.total.lines);
      assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
    }
  const own = await linesOf('/api/usage', t.member);
  assert.deepEqual(own.map(({ paid_by_you }) => paid_by_you).sort(), [false, false, true]);
});

test('200: filters leave the same lines as for the sums', async () => {
  const t = await tenant();
  await use(t.task, t.member, { nano: 1, model: 'large' });
  await use(t.otherTask, t.member, { nano: 2, model: 'small' });
  const path = `/api/organizations/${t.workspace}/usage`;
  for (const [filter, amounts] of [
    [`project_id=${t.project}`, ['0.000000001']],
    [`task_id=${t.otherTask}`, ['0.000000002']],
    ['model=small', ['0.000000002']],
    ['kind=pod', []],
    [`user_id=${t.owner.id}`, []],
  ] as const) {
    const found = await linesOf(path, t.owner, `${MARCH}&${filter}`);
    assert.deepEqual(
      found.map(({ amount }) => amount),
      amounts,
      filter,
    );
  }
});

test('an export is one moment of the database, however long its reader takes', async () => {
  const t = await tenant();
  const accountId = await payerOf(t.task);
  const record = (lines: number) =>
    harness.owner(sql`
      insert into usage_event (account_id, idempotency_key, amount, reference_type, reference_id,
        occurred_at)
      select ${accountId}, gen_random_uuid()::text, 3, 'test', ${t.task},
             timestamptz '2026-03-04T00:00Z' + n * interval '1 second'
        from generate_series(1, ${lines}::int) n`);
  await record(1_700);
  const { download } = answerExport(
    { parts: [sql`e.account_id = ${accountId}`], accountId: null },
    {
      query: { format: 'jsonl', from: '2026-03-01', to: '2026-03-31' },
      of: '',
      snapshot: (work) => db.snapshot(work),
    },
  );
  let lines = 0;
  for await (const chunk of download?.chunks ?? []) {
    lines += chunk.split('\n').length - 1;
    await record(500);
    await settleUsage(db);
  }
  assert.equal(lines, 1_700);
});

test('422: a period that is none or too long', async () => {
  const { owner } = await tenant();
  for (const [query, code] of [
    ['from=2026-03-02&to=2026-03-01', 'from_after_to'],
    ['from=2025-03-01&to=2026-03-02', 'period_too_long'],
    ['format=xlsx', 'literal_error'],
  ] as const) {
    const { status, body } = await get('/api/usage', owner, query);
    assert.deepEqual([status, body.detail?.[0]?.type], [422, code]);
  }
});
