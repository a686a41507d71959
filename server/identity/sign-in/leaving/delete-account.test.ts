import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../../billing/audit/ledger-audit.ts';
import { post } from '../../../billing/ledger/ledger.ts';
import type { Tx } from '../../../db/database/database.ts';
import { type Sql, sql, sqlText } from '../../../db/sql.ts';
import { removeOld } from '../../../platform/retention/remove-old.ts';
import { type Browser, openBrowser, signedIn } from '../../../testing/clients/browser.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { duringOn } from '../../../testing/harness/during.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { activateUser, lockUser } from '../../users/users.ts';
import { tracesOfPeople } from './erase-traces.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, owner: asOwner, request, unchanged } = harness;

const during = duringOn(harness);
const remove = (browser: Browser, query = '') => browser.request('DELETE', `/auth/account${query}`);
/** Returns of how many people traces were erased. */
const erase = async () => {
  const [removal] = await removeOld(db, [tracesOfPeople]);
  assert.ifError(removal?.failure);
  return removal?.removed;
};
const count = async (query: Sql) => (await db.many(query)).length;

/** The tables in which this text is anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await asOwner<{ name: string }>(sql`
    select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await asOwner<object>(
        sql`select from ${sqlText(`"${name}"`)} t where position(lower(${text}) in lower(t::text)) > 0`,
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

/** A person with something of everything, and a workspace of another person that they work in. */
async function busyPerson(name = 'Zebedee Quillfeather', email = 'Zebedee.Q@example.com') {
  const owner = await fixtures.user();
  const person = await fixtures.user({ name, email });
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.member(workspace, person);
  const task = await fixtures.task(project, person);
  await fixtures.revision(task, 'Paint the office green.', person);
  const approve = () => request('POST', `/api/tasks/${task}/plan/approve`, { key: person.key });
  assert.equal((await approve()).status, 200);
  const comment = await fixtures.planComment(task, owner);
  await db.many(sql`
    update plan_comment set text = ${`Ask @${email} about "green".`} where id = ${comment}`);
  await db.many(sql`
    insert into task_message (task_id, number, role, author_user_id, content)
    values (${task}, 1, 'user', ${person.id}, 'Use a brush.')`);
  return { owner, person, workspace, project, task };
}

/** What the API leaves behind of a person who uses it. */
async function useEverything(person: User, owner: User, workspace: string) {
  const key = person.key;
  const call = async (method: string, path: string, body?: unknown, by = key, headers = {}) => {
    const reply = await request(method, path, { key: by, body, headers });
    assert.ok(reply.status < 300, `${path}: ${reply.status} ${reply.text}`);
    return reply;
  };
  await call('PUT', '/api/account', { name: 'Zebedee Q.' });
  await call('PUT', '/api/account', { name: 'Zebedee Quillfeather' });
  await call('PUT', '/api/billing/details', {
    name: 'Zebedee Quillfeather',
    address: ['1 Quill Street'],
    country: 'DE',
    email: person.email,
  });
  await call('PUT', '/api/account/notifications', { mail: 'off' });
  const mine = await call('POST', '/api/organizations', { name: 'Quill works' });
  await call('POST', `/api/organizations/${mine.body.id}/invitations`, {
    email: 'friend@example.com',
    role: 'member',
  });
  await call('GET', `/api/organizations/${workspace}/members`);
  await call(
    'PUT',
    `/api/organizations/${workspace}/members/${person.id}`,
    { role: 'admin' },
    owner.key,
    { 'idempotency-key': 'role' },
  );
  return mine.body.id as string;
}

test('200: nothing says any more who they were; what they did stays, as that of a former member', async () => {
  const { owner, person, workspace, project, task } = await busyPerson();
  const own = await useEverything(person, owner, workspace);
  const personal = await fixtures.project({ userId: person.id });
  await fixtures.task(personal, person);
  const card = await fixtures.card(person);
  await db.many(sql`
    insert into identity (user_id, provider, issuer, subject, email)
    values (${person.id}, 'corp', 'https://id.example', 'zq', ${person.email})`);
  await db.many(sql`
    insert into mail (kind, recipient, subject_id, status, next_attempt_at, ended_at)
    values ('security_notice', ${person.email.toLowerCase()}, ${person.id}, 'sent', null, now())`);
  await fixtures.invitation(await fixtures.workspace(owner), { email: person.email });
  const browser = await signedIn(harness, person);
  const { cookie } = browser;
  const reply = await remove(browser);
  assert.equal(reply.status, 200, reply.text);
  const { deleted_at, ...receipt } = reply.body;
  assert.deepEqual(receipt, {
    id: person.id,
    status: 'deleted',
    workspaces_left: 1,
    workspaces_deleted: 1,
    projects_deleted: 1,
    balance_given_up: '0.00',
  });
  assert.equal(browser.cookie, '');
  browser.cookie = cookie;
  assert.equal((await browser.request('GET', '/auth/session')).body.signed_in, false);
  assert.equal((await request('GET', '/api/account', { key: person.key })).status, 401);
  assert.equal(await erase(), 1);
  for (const text of [person.email, 'Quillfeather', 'Quill Street'])
    assert.deepEqual(await tablesWith(text), [], text);

  const people = await request('GET', `/api/organizations/${workspace}/members`, {
    key: owner.key,
  });
  assert.ok(!people.text.includes(person.id));
  const trail = await request('GET', `/api/organizations/${workspace}/audit-events`, {
    key: owner.key,
  });
  const approval = trail.body.find(({ action }: { action: string }) => action === 'plan.approve');
  assert.deepEqual(
    [approval.actor_user_id, approval.actor_name, approval.actor_email],
    [person.id, 'Former member', `${person.id}@former.invalid`],
  );
  const messages = await request('GET', `/api/tasks/${task}/messages`, { key: owner.key });
  assert.deepEqual(
    messages.body.map((m: Record<string, string>) => [m.author_user_id, m.text]),
    [[person.id, 'Use a brush.']],
  );
  const comments = await request('GET', `/api/tasks/${task}/plan/comments`, { key: owner.key });
  assert.equal(comments.body[0].text, `Ask @${person.id}@former.invalid about "green".`);
  const plan = await request('GET', `/api/tasks/${task}/plan`, { key: owner.key });
  assert.equal(plan.body.approved_by_user_id, person.id);
  assert.equal((await request('GET', `/api/projects/${project}`, { key: owner.key })).status, 200);
  for (const [table, id] of [
    ['organization', own],
    ['project', personal],
  ] as const)
    assert.equal(await count(sql`select from ${sqlText(table)} where id = ${id}`), 0, table);
  const [detached] = await db.many<{ at: Date | null }>(sql`
    select detached_at as at from payment_method where id = ${card}`);
  assert.ok(detached?.at);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a card of theirs is removed at the processor afterwards, and what was printed on invoices stays', async () => {
  const person = await fixtures.user();
  await fixtures.card(person, 'pm_1RealCardOfTheirs00');
  assert.equal((await remove(await signedIn(harness, person))).status, 200);
  assert.equal(
    await count(sql`
      select from outbox where topic = 'card_detach' and key = 'pm_1RealCardOfTheirs00'`),
    1,
  );
});

test('the address may sign up again, as somebody new; the deleted account is never activated', async () => {
  const person = await fixtures.user();
  assert.equal((await remove(await signedIn(harness, person))).status, 200);
  const again = await fixtures.user({ email: person.email });
  assert.notEqual(again.id, person.id);
  await db.transaction(async (tx) => {
    assert.equal(await activateUser(tx, { id: person.id }), undefined);
    assert.equal((await lockUser(tx, { email: person.email }))?.id, again.id);
  });
  await assert.rejects(
    asOwner(sql`update app_user set is_active = true where id = ${person.id}`),
    /app_user_deleted_is_nobody/,
  );
  await erase();
  const { email } = await db.one<{ email: string }>(sql`
    select email from app_user where id = ${again.id}`);
  assert.equal(email, person.email, 'the erasing of the first does not touch the second');
});

test('409: each thing that stands in the way is named, with what to do; nothing changes', async () => {
  const [person, other] = [await fixtures.user(), await fixtures.user()];
  const shared = await fixtures.workspace(person, { name: 'Shared' });
  await fixtures.member(shared, other);
  const rich = await fixtures.workspace(person, { name: 'Rich', balance: '7.50' });
  const outside = await fixtures.workspace(person, { name: 'Outside' });
  await fixtures.grant(await fixtures.project({ organizationId: outside }), other, 'viewer');
  const helped = await fixtures.project({ userId: person.id });
  await fixtures.grant(helped, other, 'member');
  const working = await fixtures.task(await fixtures.project({ userId: person.id }), person);
  await fixtures.turn(working, { state: 'running' });
  await fixtures.attendedTopUp(person);
  await fixtures.fund({ userId: person.id }, '12.00');
  const browser = await signedIn(harness, person);
  const reply = await unchanged(() => remove(browser));
  assert.deepEqual([reply.status, reply.body.code], [409, 'account_has_blockers']);
  const named = reply.body.blockers.map(
    ({ code, organization_id, project_id, task_id }: Record<string, string>) => [
      code,
      organization_id ?? project_id ?? task_id,
    ],
  );
  assert.deepEqual(named, [
    ['workspace_with_others', outside],
    ['workspace_with_balance', rich],
    ['workspace_with_others', shared],
    ['project_with_others', helped],
    ['work_running', working],
    ['top_up_in_flight', undefined],
    ['balance_left', undefined],
  ]);
  for (const { message } of reply.body.blockers) assert.match(message, /:/);
});

test('409 in debt; a balance that is left may be given up, and the ledger says so', async () => {
  const [poor, rich] = [await fixtures.user(), await fixtures.user()];
  await fixtures.fund({ userId: poor.id }, '-3.00');
  const refused = await remove(await signedIn(harness, poor), '?give_up_balance=true');
  assert.deepEqual(
    refused.body.blockers.map(({ code }: { code: string }) => code),
    ['negative_balance'],
  );
  await fixtures.fund({ userId: rich.id }, '4.25');
  const done = await remove(await signedIn(harness, rich), '?give_up_balance=true');
  assert.deepEqual([done.status, done.body.balance_given_up], [200, '4.25']);
  assert.equal(await fixtures.balance({ userId: rich.id }), 0n);
  const [posted] = await db.many<{ kind: string; amount: bigint }>(sql`
    select l.kind, l.amount from ledger_transfer l join billing_account a on a.id = l.account_id
     where a.user_id = ${rich.id} order by l.version desc limit 1`);
  assert.deepEqual(posted, { kind: 'write_off', amount: 4_250_000n });
  assert.deepEqual((await auditLedger(db)).violations, []);
});

/** Credits 5.00 USD to a workspace, in a transaction that is still open. */
async function arrives(tx: Tx, workspace: string): Promise<void> {
  const { id: accountId } = await tx.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace} for update`);
  const { id } = await tx.one<{ id: string }>(sql`
    insert into audit_event (action, outcome, target_id, request_id)
    values ('test.fund', 'done', ${accountId}, 'test') returning id`);
  await post(tx, {
    key: `test:${id}`,
    kind: 'promotion',
    accountId,
    side: 'credit',
    counterpart: 'promotions',
    amount: 5_000_000n,
    reference: { type: 'test', id },
  });
}

test('race: money that arrives for a workspace of theirs meanwhile is seen, and is not lost', async () => {
  const person = await fixtures.user();
  const workspace = await fixtures.workspace(person);
  const browser = await signedIn(harness, person);
  const [reply] = await during(
    (tx) => arrives(tx, workspace),
    () => remove(browser, '?give_up_balance=true'),
  );
  assert.ok(reply !== undefined);
  assert.deepEqual([reply.status, reply.body.code], [409, 'account_has_blockers'], reply.text);
  assert.deepEqual(
    reply.body.blockers.map(({ code }: { code: string }) => code),
    ['workspace_with_balance'],
  );
  assert.equal(await fixtures.balance({ organizationId: workspace }), 5_000_000n);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('403: without a recent proof of who they are', async () => {
  const person = await fixtures.user();
  const browser = await signedIn(harness, person, { provenMinutesAgo: 11 });
  const reply = await unchanged(() => remove(browser));
  assert.deepEqual([reply.status, reply.body.code], [403, 'proof_required']);
});

test('two deletions at once, and writes beside one: all of it went, or the account is there', async () => {
  for (let round = 0; round < 3; round += 1) {
    const person = await fixtures.user();
    const owner = await fixtures.user();
    const invitation = await fixtures.invitation(await fixtures.workspace(owner), {
      email: person.email,
    });
    const [one, other] = [await signedIn(harness, person), await signedIn(harness, person)];
    const call = (method: string, path: string, body?: unknown) =>
      request(method, path, { key: person.key, body });
    const replies = await Promise.all([
      remove(one),
      remove(other),
      call('POST', `/api/invitations/${invitation}/accept`, {}),
      call('POST', '/api/organizations', { name: `Late ${round}` }),
      call('POST', '/api/projects', {
        name: 'Late',
        erp_version: '18.0',
        erp_edition: 'community',
      }),
      call('POST', '/api/billing/payment-methods/setup', { test_card: 'pm_card_visa' }),
      one.request('POST', '/auth/keys', { body: { name: 'late' } }),
    ]);
    const statuses = replies.map(({ status }) => status);
    assert.equal(statuses.slice(0, 2).filter((status) => status === 200).length, 1, `${statuses}`);
    assert.ok(
      statuses.every((status) => status < 500),
      `${statuses}`,
    );
    const left = await db.one<Record<string, number>>(sql`
      select (select count(*)::int from membership where user_id = ${person.id}) as memberships,
             (select count(*)::int from organization where owner_user_id = ${person.id}) as owned,
             (select count(*)::int from project where owner_user_id = ${person.id}) as projects,
             (select count(*)::int from api_key
               where user_id = ${person.id} and revoked_at is null) as keys,
             (select count(*)::int from payment_method
               where user_id = ${person.id} and detached_at is null) as cards,
             (select count(*)::int from session
               where user_id = ${person.id} and ended_at is null) as sessions`);
    const none = { memberships: 0, owned: 0, projects: 0, keys: 0, cards: 0, sessions: 0 };
    assert.deepEqual(left, none);
  }
});

test('of who is called like a word of the trail, only the name goes; an address that begins a line goes, too', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const done = async (name: string) => {
    const [person, other] = [await fixtures.user({ name }), await fixtures.user()];
    await fixtures.member(workspace, person, 'admin');
    await fixtures.member(workspace, other);
    const promoted = await request('PUT', `/api/organizations/${workspace}/members/${other.id}`, {
      key: person.key,
      body: { role: 'admin' },
    });
    assert.equal(promoted.status, 200, promoted.text);
    assert.equal((await remove(await signedIn(harness, person))).status, 200);
    await erase();
    return db.one<object>(sql`
      select before, after from audit_event
       where actor_user_id = ${person.id} and action = 'member.update'`);
  };
  const change = await done('Zed');
  for (const name of ['admin', 'role']) assert.deepEqual(await done(name), change, name);

  const { id } = owner;
  const erased = (text: string) =>
    asOwner(sql`
      select without_person(${text}, ${id}, 'z.q@example.com', 'A "b" (c)', true) as text`);
  const written = (name: string, address: string) =>
    JSON.stringify({ text: `Ask\n${address}`, actor_name: name, role: 'A "b" (c)' });
  assert.deepEqual(await erased(written('A "b" (c)', 'Z.q@example.com')), [
    { text: written('Former member', `${id}@former.invalid`) },
  ]);
});

test('erasing that was interrupted goes on, changes nothing else, and nothing else may change the trail', async () => {
  await erase();
  const { person, owner, workspace } = await busyPerson('Ada', 'ada.b@example.com');
  const namesake = await fixtures.user({ name: 'Ada', email: 'grada.b@example.com' });
  await request('PUT', '/api/account', { key: namesake.key, body: { name: 'Ada B' } });
  await request('PUT', '/api/account', { key: person.key, body: { name: 'Ada B' } });
  await request('PUT', '/api/account', { key: person.key, body: { name: 'Ada' } });
  assert.equal((await remove(await signedIn(harness, person))).status, 200);
  let asked = 0;
  const dies: typeof db.one = (query) => {
    asked += 1;
    return asked > 3 ? Promise.reject(new Error('killed')) : db.one(query);
  };
  const [first] = await removeOld({ ...db, one: dies }, [tracesOfPeople]);
  assert.match(String(first?.failure), /killed/);
  assert.equal(await erase(), 1);
  assert.deepEqual(await tablesWith(' ada.b@example.com'), []);
  const trail = await db.many<{ name: string }>(sql`
    select after ->> 'name' as name from audit_event
     where target_id = ${namesake.id} and action = 'account.update'`);
  assert.deepEqual(trail, [{ name: 'Ada B' }]);
  assert.deepEqual(await tablesWith('grada.b@example.com'), ['app_user']);
  const event = sql`(select id from audit_event where organization_id = ${workspace} limit 1)`;
  for (const change of [sql`before = '{"a":1}'`, sql`action = 'other'`]) {
    await assert.rejects(
      asOwner(sql`update audit_event set ${change} where id = ${event}`),
      /insert-only/,
    );
    await assert.rejects(
      db.many(sql`update audit_event set ${change} where id = ${event}`),
      /permission denied/,
    );
  }
  assert.equal((await openBrowser(harness).request('GET', '/auth/session')).status, 200);
  assert.ok(owner.id);
});
