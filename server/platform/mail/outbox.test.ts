import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sql, sql } from '../../db/sql.ts';
import { outboxOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { claim, end, fail, oldMail, renew } from './outbox.ts';

const { db, fixtures, owner } = await startHarness({ own: true });
const { queue, row, comeDue } = outboxOn(db, fixtures);
const KINDS = ['workspace_invitation'];
const refusal = { reason: 'no', permanent: false };

test('the mail that has been due longest is claimed first, once, for two minutes', async () => {
  const [first, second, later] = [await queue(), await queue(), await queue()];
  await db.many(
    sql`update mail set next_attempt_at = now() - interval '1 hour' where id = ${second.id}`,
  );
  await db.many(
    sql`update mail set next_attempt_at = now() + interval '1 hour' where id = ${later.id}`,
  );
  const claimed = [await claim(db, KINDS), await claim(db, KINDS), await claim(db, KINDS)];
  assert.deepEqual(
    claimed.map((mail) => mail?.id),
    [second.id, first.id, undefined],
  );
  assert.deepEqual(claimed[0], {
    id: second.id,
    kind: 'workspace_invitation',
    recipient: second.recipient,
    subjectId: second.invitation,
    generation: 1,
    attempts: 1,
  });
  const { due_in } = await row(first.id);
  assert.ok(due_in !== null && due_in > 115 && due_in <= 120, `${due_in}`);
});

test('an attempt that takes long keeps its mail, unless another worker has claimed it or it has ended', async () => {
  const { id } = await queue();
  const slow = await claim(db, KINDS);
  assert.equal(slow?.id, id);
  await comeDue(id);
  await renew(db, slow);
  const { due_in } = await row(id);
  assert.ok(due_in !== null && due_in > 115, `${due_in}`);
  assert.equal(await claim(db, KINDS), undefined);
  await comeDue(id);
  const fast = await claim(db, KINDS);
  assert.ok(fast?.id === id);
  await db.many(
    sql`update mail set next_attempt_at = now() + interval '5 seconds' where id = ${id}`,
  );
  await renew(db, slow);
  assert.ok(((await row(id)).due_in ?? 99) <= 5);
  await end(db, fast, 'sent');
  await renew(db, fast);
  assert.equal((await row(id)).due_in, null);
});

test('a worker whose claim has ended does not overwrite the outcome of the next one', async () => {
  const { id } = await queue();
  const slow = await claim(db, KINDS);
  await comeDue(id);
  const fast = await claim(db, KINDS);
  assert.ok(slow?.id === id && fast?.id === id && fast.attempts === 2);
  await fail(db, slow, { reason: 'too late', permanent: true });
  assert.deepEqual([(await row(id)).status, (await row(id)).last_error], ['queued', null]);
  await fail(db, fast, refusal);
  assert.equal((await row(id)).last_error, 'no');
  // It was sent after all, so it need not be sent again.
  await end(db, slow, 'sent');
  assert.equal((await row(id)).status, 'sent');
  await fail(db, fast, refusal);
  assert.deepEqual([(await row(id)).status, (await row(id)).last_error], ['sent', null]);
});

test('mail that was sent or became obsolete is deleted after 30 days, dead and waiting mail is not', async () => {
  const ages: [string, number, boolean][] = [
    ['sent', 31, false],
    ['sent', 29, true],
    ['obsolete', 31, false],
    ['obsolete', 29, true],
    ['dead', 400, true],
    ['queued', 400, true],
  ];
  const mails = await Promise.all(
    ages.map(async ([status, days, stays]) => {
      const { id } = await queue();
      const waits = status === 'queued';
      await db.many(sql`
        update mail set status = ${status}, created_at = now() - ${days}::int * interval '1 day',
                        next_attempt_at = case when ${waits} then now() end,
                        ended_at = case when not ${waits}
                          then now() - ${days}::int * interval '1 day' end
         where id = ${id}`);
      return { id, stays };
    }),
  );
  await oldMail(30).remove(db);
  const left = await db.many<{ id: string }>(sql`select id from mail`);
  for (const [i, { id, stays }] of mails.entries())
    assert.equal(
      left.some((mail) => mail.id === id),
      stays,
      String(ages[i]),
    );
});

test('with 20,000 old mails and nothing due, polling for mail and deleting it read indexes', async () => {
  // What claiming a mail writes is not part of the comparison.
  await db.many(sql`
    update mail set status = 'obsolete', next_attempt_at = null, ended_at = now()
     where status = 'queued'`);
  await owner(sql`
    insert into mail (kind, recipient, subject_id, status, next_attempt_at, ended_at)
    select 'workspace_invitation', 'eve@example.com', gen_random_uuid(), 'sent', null,
      now() - interval '1 day'
      from generate_series(1, 20000)`);
  await owner(sql`vacuum analyze mail`);
  const buffers = async (
    run: (record: { write: typeof db.write; many: typeof db.many }) => Promise<unknown>,
  ) => {
    let sent: Sql | undefined;
    const record = async <Row>(query: Sql) => {
      sent = query;
      return [] as Row[];
    };
    await run({ write: record, many: record });
    const plan = await db.many<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      sql`explain (analyze, buffers, format json) ${sent as Sql}`,
    );
    const { Plan } = (plan[0] as (typeof plan)[0])['QUERY PLAN'][0];
    return (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0);
  };
  assert.ok((await buffers((at) => claim(at, KINDS))) < 20, 'claim');
  assert.ok((await buffers((at) => oldMail(30).remove({ ...db, ...at }))) < 20, 'purge');
});
