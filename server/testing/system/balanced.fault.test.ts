import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { startBalancer } from '../clients/balancer.ts';
import { cloneDatabase } from '../database/database.ts';
import { fixturesOn, type User } from '../fixtures/tenants.ts';
import { serve } from '../harness/serve.ts';

/** Three real processes on one database behind a load balancer give the same guarantees as one. */

const ROUNDS = 8;
const clone = await cloneDatabase();
const servers = await Promise.all([1, 2, 3].map(() => serve({ DATABASE_URL: clone.url })));
const balancer = await startBalancer(servers.map(({ url }) => url));
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
after(async () => {
  await balancer.close();
  for (const { child } of servers) child.kill('SIGKILL');
  await db.close();
  await clone.drop();
});

type More = { body?: object; headers?: Record<string, string>; to?: string };

async function request(
  method: string,
  path: string,
  { key }: User,
  { body, headers, to }: More = {},
) {
  const response = await fetch(`${to ?? balancer.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const times = <Result>(count: number, act: (i: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)));

async function rounds(race: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await race();
}

test('race: thirty approvals of one plan: one approved it, all tell the same, one start is queued', () =>
  rounds(async () => {
    const owner = await fixtures.user();
    const task = await fixtures.task(
      await fixtures.project({ organizationId: await fixtures.workspace(owner) }),
      owner,
    );
    await fixtures.revision(task);
    const replies = await times(30, () =>
      request('POST', `/api/tasks/${task}/plan/approve`, owner),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(replies.filter(({ body }) => body.newly_approved).length, 1);
    assert.equal(new Set(replies.map(({ body }) => body.approved_at)).size, 1);
    const end = await db.one(sql`
      select (select approved_version from plan where task_id = ${task}) as approved,
             (select count(*)::int from plan_approval where task_id = ${task}) as approvals,
             (select count(*)::int from outbox
               where topic = 'agent_start' and key = ${`${task}:1`}) as starts`);
    assert.deepEqual(end, { approved: 1, approvals: 1, starts: 1 });
  }));

test('race: transfers of ownership to two people: one 200, the rest 403, one owner', () =>
  rounds(async () => {
    const [owner, ...heirs] = [await fixtures.user(), await fixtures.user(), await fixtures.user()];
    const workspace = await fixtures.workspace(owner);
    for (const heir of heirs) await fixtures.member(workspace, heir, 'viewer');
    const path = `/api/organizations/${workspace}/transfer-ownership`;
    const replies = await times(6, (i) =>
      request('POST', path, owner, { body: { new_owner_user_id: heirs[i % 2]?.id } }),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403, 403, 403, 403, 403]);
    const winner = replies.find(({ status }) => status === 200);
    const end = await db.one(sql`
      select owner_user_id as owner,
             (select count(*)::int from audit_event
               where action = 'workspace.transfer' and outcome = 'done'
                 and target_id = ${workspace}) as transfers
        from organization where id = ${workspace}`);
    assert.deepEqual(end, { owner: winner?.body.new_owner_user_id, transfers: 1 });
  }));

test('race: deleting a workspace against its top-up: the money is with the heir, in the workspace, or was never charged', () =>
  rounds(async () => {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '12.50' });
    const path = `/api/organizations/${workspace}`;
    const body = { amount: 5, payment_method_id: await fixtures.card(owner) };
    const [added, ...gone] = await Promise.all([
      request('POST', `${path}/billing/add-funds`, owner, { body }),
      request('DELETE', path, owner),
      request('DELETE', path, owner),
    ]);
    assert.ok([200, 404].includes(added.status), added.text);
    // A second one finds it gone; both are refused while the charge is open.
    const ends = gone.map(({ status }) => status).sort();
    assert.ok(['200,404', '409,409', '200,409'].includes(ends.join()), ends.join());
    const whose = ends.includes(200) ? { userId: owner.id } : { organizationId: workspace };
    assert.equal(await fixtures.balance(whose), added.status === 200 ? 17_500_000n : 12_500_000n);
    const charged = await db.one<{ usd: string }>(sql`
      select coalesce(sum(amount), 0)::text as usd from sandbox_intent
       where status = 'succeeded' and idempotency_key in (
         select 'topup:' || id || ':create' from top_up where user_id = ${owner.id})`);
    assert.equal(charged.usd, added.status === 200 ? '5000000' : '0');
  }));

test('race: add-funds with one Idempotency-Key sent to all three at once: one charge, one answer', () =>
  rounds(async () => {
    const user = await fixtures.user();
    const body = { amount: 25, payment_method_id: await fixtures.card(user) };
    const add = (to: string) =>
      request('POST', '/api/billing/add-funds', user, {
        body,
        headers: { 'idempotency-key': 'one' },
        to,
      });
    const first = await times(9, (i) => add(servers[i % 3]?.url as string));
    for (const { status, body } of first)
      if (status !== 200) assert.deepEqual([status, body.code], [409, 'idempotency_in_progress']);
    const answered = first.filter(({ status }) => status === 200);
    assert.equal(answered.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
    for (const { url } of servers) answered.push(await add(url));
    assert.equal(new Set(answered.map(({ text }) => text)).size, 1);
    assert.equal(await fixtures.balance({ userId: user.id }), 25_000_000n);
    const end = await db.one(sql`
      select count(*)::int as top_ups,
             (select count(*)::int from sandbox_intent i
               join top_up t on i.idempotency_key = 'topup:' || t.id || ':create'
               where t.user_id = ${user.id}) as intents,
             (select count(*)::int from ledger_transfer l join top_up t on l.reference_id = t.id
               where t.user_id = ${user.id}) as transfers
        from top_up where user_id = ${user.id}`);
    assert.deepEqual(end, { top_ups: 1, intents: 1, transfers: 1 });
  }));

test('race: add-funds without a key, sent again to all three while it is charged and after: one charge, one answer', () =>
  rounds(async () => {
    const user = await fixtures.user();
    const body = { amount: 25, payment_method_id: await fixtures.card(user) };
    const replies = await times(12, async (i) => {
      await pause(i * 8);
      return request('POST', '/api/billing/add-funds', user, {
        body,
        to: servers[i % 3]?.url as string,
      });
    });
    for (const { status, text } of replies) assert.equal(status, 200, text);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(await fixtures.balance({ userId: user.id }), 25_000_000n);
    const end = await db.one(sql`
      select count(*)::int as top_ups,
             (select count(*)::int from sandbox_intent where status = 'succeeded'
                 and idempotency_key in (select 'topup:' || id || ':create' from top_up
                   where user_id = ${user.id})) as charges
        from top_up where user_id = ${user.id}`);
    assert.deepEqual(end, { top_ups: 1, charges: 1 });
  }));

test('race: updates of a team by who read the same version: one 200, the rest 412 team_changed, nothing overwritten', () =>
  rounds(async () => {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner);
    const path = `/api/organizations/${workspace}/teams/${await fixtures.team(workspace)}`;
    const read = await request('PUT', path, owner, { body: {} });
    const headers = { 'if-match': read.headers.get('etag') as string };
    const replies = await times(9, (i) =>
      request('PUT', path, owner, { body: { name: `Name ${i}` }, headers }),
    );
    const won = replies.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const { status, body } of replies)
      if (status !== 200) assert.deepEqual([status, body.code], [412, 'team_changed']);
    const end = await db.many(sql`
      select t.name, e.after->>'name' as audited from team t
        join audit_event e on e.target_id = t.id::text and e.action = 'team.update'
       where t.organization_id = ${workspace} and e.after->>'name' is not null`);
    assert.deepEqual(end, [{ name: won[0]?.body.name, audited: won[0]?.body.name }]);
  }));

test('all three took part, and the ledger holds', async (t) => {
  const counts = await Promise.all(
    servers.map(async ({ metrics }) => {
      const text = await (await fetch(metrics)).text();
      const lines = text.matchAll(
        /^guildhall_http_request_duration_seconds_count\{.*\/api\/.*\} (\d+)$/gm,
      );
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );
  for (const count of counts) assert.ok(count > 50, counts.join());
  assert.deepEqual((await auditLedger(db)).violations, []);
  t.diagnostic(`${counts.join(', ')} requests answered, through ${balancer.name}`);
});
