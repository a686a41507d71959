import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { limitsOf } from '../../../testing/fixtures/billing/spend-limits.ts';
import { today, usageOn } from '../../../testing/fixtures/billing/usage.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { endUnpaid } from './end-unpaid.ts';

/** ERP instances end when a limit of the month is spent, or no one can pay, and no others. */

const harness = await startHarness({ own: true });
const { db, fixtures, unchanged } = harness;
const { payerOf, use } = usageOn(harness);

/** A task with an instance in a workspace, or in that of another. */
async function instance(state = 'running', beside?: { owner: User; workspace: string }) {
  const owner = beside?.owner ?? (await fixtures.user());
  const workspace = beside?.workspace ?? (await fixtures.workspace(owner, { balance: '5.00' }));
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  return { id: await fixtures.erpInstance(task, state), task, project, workspace, owner };
}
type User = Awaited<ReturnType<typeof fixtures.user>>;
type Instance = Awaited<ReturnType<typeof instance>>;

const put = ({ workspace, owner }: Instance, ...limits: object[]) =>
  limitsOf(harness, workspace, owner)(...limits);
const spend = ({ task, owner }: Instance, nano: number) => use(task, owner, { nano, day: today() });
const endOf = async ({ id }: Instance) => {
  const row = await db.one<{ state: string; code: string | null; reason: string | null }>(sql`
    select state, reason_code as code, reason from erp_instance where id = ${id}`);
  return [row.state, row.code, row.reason] as const;
};
const noticesOf = async ({ task }: Instance) =>
  (
    await db.many<{ type: string; payload: Record<string, string> }>(sql`
      select type, payload from task_event_outbox
       where task_id = ${task} and type <> 'odoo_instance' order by noted_at`)
  ).map(({ type, payload }): Record<string, string> => ({ ...payload, type }));

const SUBJECTS: Record<string, string> = {
  balance: 'the whole balance',
  project: 'this project',
  member: 'the person who asked for this',
  task: 'this task',
};
for (const [subject, name] of Object.entries(SUBJECTS))
  for (const state of ['starting', 'running'])
    test(`a spent limit on a ${subject} ends an instance that is ${state}, once, and says so`, async () => {
      const one = await instance(state);
      const beside = await instance(state, one);
      const { project, owner, task } = one;
      const subject_id = { project, member: owner.id, task, balance: undefined }[subject];
      await put(one, { subject, subject_id, amount: '0.50' });
      // To the micro-USD, which is what people see of a limit.
      await spend(one, 499_999_000);
      await unchanged(() => endUnpaid(db));
      await spend(one, 1);
      const ended = await Promise.all(Array.from({ length: 8 }, () => endUnpaid(db)));
      const all = subject === 'balance' || subject === 'member' ? 2 : 1;
      assert.equal(
        ended.reduce((sum, count) => sum + count),
        all,
      );
      const [now, code, reason] = await endOf(one);
      assert.deepEqual([now, code], ['failed', 'spend_limit']);
      assert.equal(
        reason,
        `The spend limit of this month for ${name} is reached. Raise or remove it, or wait for ` +
          'the next month (UTC), then start another instance.',
      );
      assert.deepEqual(await noticesOf(one), [
        {
          type: 'notice',
          text: `The throwaway Odoo has ended with its data. ${reason}`,
          odoo_instance_id: one.id,
          reason_code: 'spend_limit',
        },
      ]);
      assert.equal((await endOf(beside))[0], all === 2 ? 'failed' : state);
      await unchanged(() => endUnpaid(db));
    });

test('limits that leave something, and spent ones of others, end nothing', async () => {
  const one = await instance();
  const elsewhere = await fixtures.project({ organizationId: one.workspace });
  const colleague = await fixtures.user();
  await fixtures.member(one.workspace, colleague, 'member');
  const theirs = await fixtures.task(one.project, colleague);
  const other = await fixtures.task(elsewhere, colleague);
  await put(
    one,
    { subject: 'project', subject_id: elsewhere, amount: '0.10' },
    { subject: 'member', subject_id: colleague.id, amount: '0.10' },
    { subject: 'task', subject_id: theirs, amount: '0.10' },
    { subject: 'balance', amount: '9.00' },
  );
  for (const task of [theirs, other])
    await use(task, colleague, { nano: 100_000_000, day: today() });
  await unchanged(() => endUnpaid(db));
  // What was spent in another month.
  await put(one, { subject: 'task', subject_id: one.task, amount: '0.10' });
  await use(one.task, one.owner, { nano: 100_000_000, day: '2026-03-04' });
  await unchanged(() => endUnpaid(db));
});

test('what a turn at work holds of a limit is not spent', async () => {
  const one = await instance();
  await put(one, { subject: 'balance', amount: '0.50' });
  const turn = await fixtures.turn(one.task, { state: 'running', attempt: 1 });
  await db.many(sql`
    update task_turn set account_id = ${await payerOf(one.task)}, covered_nano = 500000000
     where id = ${turn}`);
  await unchanged(() => endUnpaid(db));
});

test('those that no one can pay end, each for its reason', async () => {
  const [broke, frozen, ownerless, paid] = [
    await instance(),
    await instance('starting'),
    await instance(),
    await instance(),
  ];
  await fixtures.fund({ organizationId: broke.workspace }, '-5.00');
  await db.many(sql`
    update billing_account set status = 'frozen' where organization_id = ${frozen.workspace}`);
  await db.many(sql`update project set organization_id = null where id = ${ownerless.project}`);
  assert.equal(await endUnpaid(db), 3);
  for (const [one, expected] of [
    [broke, 'insufficient_funds'],
    [frozen, 'account_not_active'],
    [ownerless, 'account_not_active'],
  ] as const) {
    const [state, code, reason] = await endOf(one);
    assert.deepEqual([state, code, reason?.includes('Add funds')], ['failed', expected, true]);
    assert.deepEqual(
      (await noticesOf(one)).map(({ reason_code }) => reason_code),
      [expected],
    );
  }
  assert.equal((await endOf(paid))[0], 'running');
});
