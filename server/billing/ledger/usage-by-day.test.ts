import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Sql, sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditUsage } from '../audit/usage.ts';
import { recordUsage, settleUsage, type UsageEvent } from './usage.ts';

const { db, fixtures, unchanged, owner: asOwner } = await startHarness();

/** A workspace with a task and two turns of it: one that a member asked for, one by a policy. */
async function work() {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { balance: '5.00' });
  await fixtures.member(workspace, member);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const turns = await db.many<{ id: string }>(sql`
    insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
    values (${task}, 1, 'prompt', ${randomUUID()}, 'x', ${member.id}),
           (${task}, 2, 'prompt', ${randomUUID()}, 'x', null)
    returning id`);
  const { id: accountId } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  const [asked, automatic] = turns.map(({ id }) => ({ type: 'task_turn', id }));
  assert.ok(asked && automatic);
  return { owner, member, workspace, project, task, accountId, asked, automatic };
}
type Work = Awaited<ReturnType<typeof work>>;

const event = (
  { accountId, asked }: Pick<Work, 'accountId' | 'asked'>,
  more: Partial<UsageEvent> = {},
): UsageEvent => ({
  key: randomUUID(),
  accountId,
  amount: 1_500n,
  reference: asked,
  occurredAt: new Date('2026-03-04T05:06:07.089Z'),
  ...more,
});
const record = (...events: UsageEvent[]) => db.transaction((tx) => recordUsage(tx, events));

const days = (accountId: string) =>
  db.many<Record<string, unknown>>(sql`
    select day::text, kind, task_id, project_id, organization_id, user_id, model,
           amount, input_tokens, output_tokens, pod_seconds, events
      from usage_day where account_id = ${accountId}
     order by day, kind, user_id = (select owner_user_id from organization o
                                     where o.id = organization_id), model nulls first`);

test('what was used is summed by UTC day, kind, person and model, and stays when its task is gone', async () => {
  const w = await work();
  const model = { model: 'large', inputTokens: 10, outputTokens: 3 };
  await record(
    event(w, model),
    event(w, { ...model, occurredAt: new Date('2026-03-04T23:59:59.999Z') }),
  );
  await record(event(w, { occurredAt: new Date('2026-03-05T00:00:00Z') }));
  await record(event(w, { reference: w.automatic, amount: 7n }));
  await record(event(w, { reference: { type: 'task', id: w.task }, amount: 1n }));
  await record(event(w, { kind: 'pod', amount: 0n, podSeconds: 61 }));
  const place = { task_id: w.task, project_id: w.project, organization_id: w.workspace };
  const [none, byMember] = [{ input_tokens: 0n, output_tokens: 0n, pod_seconds: 0n }, w.member.id];
  const expected = [
    {
      day: '2026-03-04',
      kind: 'model',
      ...place,
      user_id: byMember,
      model: 'large',
      ...none,
      amount: 3_000n,
      input_tokens: 20n,
      output_tokens: 6n,
      events: 2n,
    },
    {
      day: '2026-03-04',
      kind: 'model',
      ...place,
      user_id: w.owner.id,
      model: null,
      ...none,
      amount: 8n,
      events: 2n,
    },
    {
      day: '2026-03-04',
      kind: 'pod',
      ...place,
      user_id: byMember,
      model: null,
      ...none,
      amount: 0n,
      pod_seconds: 61n,
      events: 1n,
    },
    {
      day: '2026-03-05',
      kind: 'model',
      ...place,
      user_id: byMember,
      model: null,
      ...none,
      amount: 1_500n,
      events: 1n,
    },
  ];
  assert.deepEqual(await days(w.accountId), expected);
  await db.many(sql`delete from task where id = ${w.task}`);
  await settleUsage(db);
  assert.deepEqual(await days(w.accountId), expected);
});

test('usage that nothing says more of is one row a day', async () => {
  const { accountId, workspace } = await work();
  const reference = { type: 'test', id: randomUUID() };
  for (const amount of [1n, 2n]) await record(event({ accountId, asked: reference }, { amount }));
  const [row, ...more] = await days(accountId);
  assert.deepEqual([row?.amount, row?.task_id, row?.organization_id], [3n, null, workspace]);
  assert.deepEqual(more, []);
});

test('what was free is settled without a charge', async () => {
  const w = await work();
  await record(event(w, { amount: 0n, inputTokens: 5, outputTokens: 0 }));
  await settleUsage(db);
  const settled = await db.one(sql`
    select events, total_nano, micro, carried_out from usage_settlement
     where account_id = ${w.accountId}`);
  assert.deepEqual(settled, { events: 1, total_nano: 0n, micro: 0n, carried_out: 0 });
  await unchanged(() =>
    assert.rejects(
      record(event(w, { amount: 0n, inputTokens: 0 })),
      /usage_event_counts_something/,
    ),
  );
});

test('a key that comes back for other tokens or another model is a conflict, and is not added', async () => {
  const w = await work();
  const first = event(w, { model: 'large', inputTokens: 10 });
  await record(first);
  await unchanged(async () => {
    for (const other of [{ inputTokens: 11 }, { model: 'small' }, { kind: 'pod' as const }])
      assert.deepEqual((await record({ ...first, ...other })).conflicting, [first.key]);
    assert.deepEqual(await record(first, first), { recorded: 0, repeated: 2, conflicting: [] });
  });
});

test('the server cannot write the sums itself, and no one removes them', async () => {
  const w = await work();
  await record(event(w));
  await unchanged(async () => {
    for (const forbidden of [
      sql`update usage_day set amount = 0`,
      sql`delete from usage_day`,
      sql`insert into usage_day (account_id, day, kind, amount, input_tokens, output_tokens,
            pod_seconds, events) values (${w.accountId}, '2026-01-01', 'model', 1, 0, 0, 0, 1)`,
    ])
      await assert.rejects(db.many(forbidden), /permission denied/);
    await assert.rejects(asOwner(sql`delete from usage_day`), /insert-only/);
  });
});

class Died extends Error {}

const line = fc.record({
  key: fc.nat(20),
  whose: fc.nat(2),
  nano: fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.bigInt(0n, 10n ** 9n)),
  model: fc.constantFrom('large', 'small', undefined),
  automatic: fc.boolean(),
  hour: fc.nat(60),
});
type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

test('property: races, repeated keys and crashes: the sums by day are the events, what was settled and what is pending', async () => {
  const step = fc.oneof(
    fc.record({
      act: fc.constant('record' as const),
      lines: fc.array(line, { maxLength: 8 }),
      dies: fc.boolean(),
    }),
    fc.record({ act: fc.constant('settle' as const), limit: fc.integer({ min: 1, max: 9 }) }),
  );
  const places = [await work(), await work(), await work()];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 5 }),
      async (rounds) => {
        const prefix = randomUUID();
        const sent = new Map<number, UsageEvent>();
        const eventOf = ({ key, whose, nano, model, automatic, hour }: Line) => {
          const place = places[whose] as Work;
          const known = sent.get(key);
          if (known !== undefined) return known;
          const made = event(place, {
            key: `${prefix}:${key}`,
            amount: BigInt(nano),
            model,
            inputTokens: key + 1,
            reference: automatic ? place.automatic : place.asked,
            occurredAt: new Date(Date.UTC(2026, 2, 4, hour)),
          });
          sent.set(key, made);
          return made;
        };
        const recorded = new Set<UsageEvent>();
        const run = async (one: (typeof rounds)[number][number]) => {
          if (one.act === 'settle') {
            assert.deepEqual((await settleUsage(db, { limit: one.limit })).failed, []);
            return;
          }
          const events = one.lines.map(eventOf);
          await db.transaction(async (tx) => {
            assert.deepEqual((await recordUsage(tx, events)).conflicting, []);
            if (one.dies) throw new Died();
          });
          for (const each of events) recorded.add(each);
        };
        const before = await sums();
        for (const round of rounds)
          await Promise.all(
            round.map((one) => run(one).catch((error) => assert.ok(error instanceof Died, error))),
          );
        const after = await sums();
        const added = [...recorded].reduce((total, { amount }) => total + amount, 0n);
        assert.equal(after.days - before.days, added);
        assert.equal(after.events, BigInt(recorded.size) + before.events);
        assert.equal(after.days, after.settled + after.pending);
      },
    ),
    { numRuns: 40 },
  );
  assert.deepEqual(await db.transaction(auditUsage), []);
});

const sums = () =>
  db.one<Record<'days' | 'events' | 'settled' | 'pending', bigint>>(sql`
    select (select coalesce(sum(amount), 0)::bigint from usage_day) as days,
           (select coalesce(sum(events), 0)::bigint from usage_day) as events,
           (select coalesce(sum(total_nano), 0)::bigint from usage_settlement) as settled,
           (select coalesce(sum(amount), 0)::bigint from usage_event
             where settlement_id is null) as pending`);

test('the audit finds sums that are not those of their events', async () => {
  const w = await work();
  await record(event(w), event(w, { model: 'large', inputTokens: 4 }));
  const found = async () =>
    (await db.transaction(auditUsage))
      .filter(({ accountId }) => accountId === w.accountId)
      .map(({ rule }) => rule);
  assert.deepEqual(await found(), []);
  for (const [change, back] of [
    ['amount = amount + 1', 'amount = amount - 1'],
    ['input_tokens = input_tokens + 1', 'input_tokens = input_tokens - 1'],
    ['events = events + 1', 'events = events - 1'],
    ['day = day + 1', 'day = day - 1'],
    ["model = 'small'", "model = 'large'"],
    ['user_id = null', `user_id = '${w.member.id}'`],
  ] as const) {
    const row = `account_id = '${w.accountId}' and model is not null`;
    const set = (columns: string) =>
      asOwner(new Sql([`update usage_day set ${columns} where ${row}`], []));
    await set(change);
    assert.deepEqual([...new Set(await found())], ['usage_day_is_its_events'], change);
    await set(back);
  }
  assert.deepEqual(await found(), []);
});
