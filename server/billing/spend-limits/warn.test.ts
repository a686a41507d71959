import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Content } from '../../platform/mail/mail.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { recordUsage } from '../ledger/usage.ts';
import { limitMail } from './limit-mail.ts';
import { warnOfLimits } from './warn.ts';

const { db, fixtures, owner: asOwner, request, unchanged } = await startHarness();

/** A workspace with a limit, and a way to spend of it. */
async function limited(amount: string, owner?: User) {
  const person = owner ?? (await fixtures.user({ name: 'Ada' }));
  const workspace = await fixtures.workspace(person, { name: `Acme ${randomUUID().slice(0, 8)}` });
  const path = `/api/organizations/${workspace}/billing/spend-limits`;
  const put = async (usd: string | null) => {
    const body = { limits: [{ subject: 'balance', amount: usd }] };
    assert.equal((await request('PUT', path, { key: person.key, body })).status, 200);
  };
  await put(amount);
  const spend = (cents: number) =>
    db.transaction(async (tx) => {
      const { id } = await tx.one<{ id: string }>(sql`
        select id from billing_account where organization_id = ${workspace}`);
      const amount = BigInt(cents) * 10_000_000n;
      const reference = { type: 'test', id: randomUUID() };
      const event = { key: randomUUID(), accountId: id, amount, reference, occurredAt: new Date() };
      await recordUsage(tx, [event]);
    });
  return { owner: person, workspace, put, spend };
}

/** Looks at all limits. */
async function warn(most?: number): Promise<void> {
  let after: string | undefined;
  do ({ next: after } = await warnOfLimits(db, after, most));
  while (after !== undefined);
}

/** The mails about limits to these people: whom, and which level. */
const mails = async (...people: User[]) =>
  (
    await db.many<{ recipient: string; level: string }>(sql`
      select m.recipient, coalesce(w.level, 'gone') as level
        from mail m left join spend_limit_warning w on w.id = m.subject_id
       where m.kind = 'spend_limit' and m.recipient = any(${people.map(({ email }) => email)}::text[])
       order by m.id`)
  ).map(({ recipient, level }) => [people.findIndex(({ email }) => email === recipient), level]);

const levels = async (...people: User[]) => (await mails(...people)).map(([, level]) => level);

/** What the newest mail to a person says. */
async function rendered({ email }: User): Promise<Content | 'obsolete'> {
  const mail = await db.one<{ subject_id: string }>(sql`
    select subject_id from mail where kind = 'spend_limit' and recipient = ${email}
     order by id desc limit 1`);
  const queued = { recipient: email, subjectId: mail.subject_id };
  return limitMail(db, 'https://example.com')(queued);
}

test('at four fifths and at the limit, each once, to the owner and the admins who want it', async () => {
  const { owner, workspace, spend } = await limited('1.00');
  const [admin, custom, quiet, gone, member, viewer] = (await Promise.all(
    Array.from({ length: 6 }, () => fixtures.user()),
  )) as [User, User, User, User, User, User];
  for (const each of [admin, quiet, gone]) await fixtures.member(workspace, each, 'admin');
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'admin' }));
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  const off = await request('PUT', '/api/account', {
    key: quiet.key,
    body: { mail_warnings: false },
  });
  assert.deepEqual([off.status, off.body.mail_warnings], [200, false]);
  await db.many(sql`update app_user set is_active = false where id = ${gone.id}`);
  const all = [owner, admin, custom, quiet, gone, member, viewer];
  await spend(79);
  await warn();
  assert.deepEqual(await mails(...all), []);
  await spend(1);
  await warn();
  await unchanged(() => warn());
  assert.deepEqual((await mails(...all)).sort(), [
    [0, 'warned'],
    [1, 'warned'],
    [2, 'warned'],
  ]);
  await spend(19);
  await warn();
  assert.equal((await mails(...all)).length, 3);
  await spend(1);
  await warn();
  await spend(5);
  await unchanged(() => warn());
  assert.deepEqual((await mails(...all)).slice(3).sort(), [
    [0, 'reached'],
    [1, 'reached'],
    [2, 'reached'],
  ]);
});

test('all spent between two polls is one mail; a raised limit begins anew, and the same one does not', async () => {
  const { owner, put, spend } = await limited('1.00');
  await spend(120);
  await warn();
  assert.deepEqual(await levels(owner), ['reached']);
  await put('1.50');
  await warn();
  assert.deepEqual(await levels(owner), ['reached', 'warned']);
  await put('1.00');
  await warn();
  assert.deepEqual(await levels(owner), ['reached', 'warned']);
});

test('a limit that is removed and added again as it was warns no one twice; with another amount it does', async () => {
  const { owner, put, spend } = await limited('1.00');
  const again = async (amount: string) => {
    await put(null);
    await put(amount);
    await warn();
    return levels(owner);
  };
  await spend(85);
  await warn();
  assert.deepEqual(await again('1.00'), ['warned']);
  assert.notEqual(await rendered(owner), 'obsolete', 'a mail that waits is about it again');
  await spend(15);
  await warn();
  for (const _ of [1, 2]) assert.deepEqual(await again('1.00'), ['warned', 'reached']);
  assert.deepEqual(await again('1.10'), ['warned', 'reached', 'warned']);
  assert.deepEqual(await again('1.00'), ['warned', 'reached', 'warned']);
});

test('race: looks while a limit is removed and added again, of a project and of the balance: one mail each', async () => {
  const { owner, workspace, put, spend } = await limited('1.00');
  const project = await fixtures.project({ organizationId: workspace });
  const limit = { subject: 'project', subject_id: project };
  const body = (amount: string | null) => ({ limits: [{ ...limit, amount }] });
  const path = `/api/organizations/${workspace}/billing/spend-limits`;
  const putOnProject = (amount: string | null) =>
    request('PUT', path, { key: owner.key, body: body(amount) });
  await putOnProject('1.00');
  const { id: accountId } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  const task = { type: 'task', id: await fixtures.task(project, owner) };
  await db.transaction((tx) =>
    recordUsage(tx, [
      {
        key: randomUUID(),
        accountId,
        amount: 850_000_000n,
        reference: task,
        occurredAt: new Date(),
      },
    ]),
  );
  await spend(1);
  const anew = async (change: (amount: string | null) => Promise<unknown>) => {
    for (let round = 0; round < 6; round++) {
      await change(null);
      await change('1.00');
    }
  };
  await Promise.all([anew(put), anew(putOnProject), ...[1, 2, 3, 4, 5, 6].map(() => warn())]);
  await warn();
  assert.deepEqual(await levels(owner), ['warned', 'warned']);
});

test('a new month begins anew', async () => {
  const { owner, workspace, spend } = await limited('1.00');
  await spend(100);
  await warn();
  const turned = sql`(date_trunc('month', now() at time zone 'UTC') - interval '1 month')::date`;
  await db.many(sql`
    update spend_limit set warned_in = ${turned}, reached_in = ${turned}
     where account_id = (select id from billing_account where organization_id = ${workspace})`);
  // What was mailed was mailed in that month.
  await asOwner(sql`
    update spend_limit_warning set month = ${turned} where user_id = ${owner.id}`);
  await warn();
  assert.deepEqual(await levels(owner), ['reached', 'reached']);
});

test('race: many looks at once, over many pages; every limit is mailed once', async () => {
  const owner = await fixtures.user();
  for (let i = 0; i < 7; i++) await (await limited('1.00', owner)).spend(i < 4 ? 85 : 100);
  await Promise.all([1, 2, 3, 500, 1, 2, 3, 500].map((most) => warn(most)));
  assert.deepEqual((await levels(owner)).sort(), [
    ...Array(3).fill('reached'),
    ...Array(4).fill('warned'),
  ]);
});

test('the mail says whose limit it is, what is spent and when it goes on; then it may be obsolete', async () => {
  const { owner, workspace, put, spend } = await limited('1.00');
  await spend(90);
  await warn();
  const first = (await rendered(owner)) as Content;
  assert.match(
    first.before
      .flat()
      .map((part) => (typeof part === 'string' ? part : part.name))
      .join(''),
    /^The spend limit on the balance of “Acme \w+” is 1\.00 USD this month\. 0\.90 USD of it are spent\.When all of it/,
  );
  assert.equal(first.link.url, `https://example.com/workspaces/${workspace}/billing`);
  await spend(10);
  assert.equal(await rendered(owner), 'obsolete');
  await warn();
  const second = (await rendered(owner)) as Content;
  assert.deepEqual(second.subject[0], 'A spend limit is reached: ');
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  await db.many(sql`update organization set owner_user_id = ${admin.id} where id = ${workspace}`);
  await fixtures.removeMember(workspace, owner.id);
  assert.equal(await rendered(owner), 'obsolete');
  await fixtures.member(workspace, owner, 'admin');
  await put('5.00');
  assert.equal(await rendered(owner), 'obsolete');
});

test('of a person’s own balance the person is warned, by name of the project', async () => {
  const user = await fixtures.user();
  const project = await fixtures.project({ userId: user.id });
  const helper = await fixtures.user();
  await fixtures.grant(project, helper, 'admin');
  const task = await fixtures.task(project, user);
  const limits = [{ subject: 'project', subject_id: project, amount: '0.50' }];
  await request('PUT', '/api/billing/spend-limits', { key: user.key, body: { limits } });
  await db.transaction(async (tx) => {
    const { id } = await tx.one<{ id: string }>(sql`
      select id from billing_account where user_id = ${user.id}`);
    const reference = { type: 'task', id: task };
    const amount = 500_000_000n;
    await recordUsage(tx, [
      { key: randomUUID(), accountId: id, amount, reference, occurredAt: new Date() },
    ]);
  });
  await warn();
  assert.deepEqual(await mails(user, helper), [[0, 'reached']]);
  const mail = (await rendered(user)) as Content;
  assert.equal(mail.link.url, 'https://example.com/account/billing');
  assert.match(JSON.stringify(mail.before), /your balance.*for the project “.*Project \w+/);
});
