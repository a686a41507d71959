import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { enterMode } from '../billing/mode/enter-mode.ts';
import { sql } from '../db/sql.ts';
import { EXAMPLES } from '../http/examples.ts';
import type { Route } from '../http/route.ts';
import { signIn } from '../testing/fixtures/identity/session.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// Who may call /api/operator: a walk of every operation there.

const harness = await startHarness({ own: true, env: { BILLING: 'credits' } });
const { db, fixtures, operatorRoutes, request, unchanged } = harness;
await enterMode(db, { mode: 'credits', testMoney: false });
const person = await fixtures.user();
const workspace = await fixtures.workspace(person);
const project = await fixtures.project({ organizationId: workspace });
const webhook = await fixtures.webhook(project);

/** New objects for a request that succeeds. */
async function made(): Promise<Record<string, string>> {
  const user = await fixtures.user();
  const delivery_id = await fixtures.webhookDelivery(webhook);
  await db.many(sql`
    update webhook_delivery set state = 'failed', next_attempt_at = null, ended_at = now()
     where id = ${delivery_id}`);
  const mail_id = await fixtures.deadMail();
  return { user_id: user.id, org_id: workspace, mail_id, delivery_id };
}
const there = await made();

/** Browsers say where a request is from. */
const browser = (cookie: string) => ({ cookie, 'sec-fetch-site': 'same-origin' });

function call(
  route: Route,
  who: { key?: string; cookie?: string },
  ids: Record<string, string> = there,
) {
  const { body } = route.sample?.(EXAMPLES) ?? {};
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? assert.fail(name));
  return request(route.method, path, {
    ...(who.key !== undefined && { key: who.key }),
    ...(who.cookie !== undefined && { headers: browser(who.cookie) }),
    ...(body !== undefined && { body }),
  });
}

const codes = async (who: { key?: string; cookie?: string }, ids?: Record<string, string>) => {
  const found = new Set<string>();
  for (const route of operatorRoutes) {
    const { status, body } = await call(route, who, ids);
    found.add(`${status} ${body.code}`);
  }
  return [...found].sort();
};

/** What it changes, but for the rows of refused attempts in the trail. */
const nothingChanges = async (work: () => Promise<string[]>): Promise<string[]> => {
  const [before] = await db.many(STATE);
  const result = await work();
  assert.deepEqual((await db.many(STATE))[0], before);
  return result;
};
const STATE = sql`
  select (select count(*) from audit_event where outcome = 'done') as done,
         (select count(*) from ledger_transfer) as postings,
         (select count(*) from sign_in_link) as links,
         (select count(*) from operator) as operators,
         (select md5(string_agg(u::text, ',' order by id)) from app_user u) as users,
         (select md5(string_agg(m::text, ',' order by id)) from mail m) as mails,
         (select md5(string_agg(d::text, ',' order by id)) from webhook_delivery d) as deliveries`;

test('the walk below has every operation, and they are all under /api/operator', () => {
  assert.equal(operatorRoutes.length, 17);
  for (const { path, area } of [...operatorRoutes, ...harness.routes])
    assert.equal(path.startsWith('/api/operator/'), area === 'Operation', path);
});

test('401: without a credential, and with one that opens nothing', async () => {
  assert.deepEqual(await unchanged(() => codes({})), ['401 not_authenticated']);
  const gone = await fixtures.user({ active: false });
  assert.deepEqual(await unchanged(() => codes({ key: gone.key })), ['401 invalid_api_key']);
});

test('403 operator_required: people, owners of workspaces, and whoever was an operator', async () => {
  const former = await fixtures.operator();
  await db.many(sql`delete from operator where user_id = ${former.id}`);
  for (const { id, key } of [await fixtures.user(), person, former]) {
    assert.deepEqual(await nothingChanges(() => codes({ key })), [
      '403 operator_required',
      // What a key never opens says so first.
      '403 session_required',
    ]);
    const cookie = await signIn(harness, { id }, { proven: true });
    assert.deepEqual(await nothingChanges(() => codes({ cookie })), ['403 operator_required']);
  }
});

test('403: service accounts and keys of one workspace, also of an operator; and none can be one', async () => {
  const bot = await fixtures.serviceAccount(workspace, { role: 'admin' });
  const refused = ['403 key_out_of_scope', '403 session_required'];
  assert.deepEqual(await nothingChanges(() => codes({ key: bot.key })), refused);
  await assert.rejects(
    db.many(sql`insert into operator (user_id) values (${bot.id})`),
    /operator_is_person/,
  );
  const operator = await fixtures.operator();
  const limited = await keyOf(operator, sql`organization_id = ${workspace}`);
  await fixtures.member(workspace, operator);
  assert.deepEqual(await nothingChanges(() => codes({ key: limited })), refused);
});

/** The key of a user, with less rights. */
async function keyOf(user: User, change: ReturnType<typeof sql>): Promise<string> {
  await db.many(sql`update api_key set ${change} where user_id = ${user.id}`);
  return user.key;
}

test('an operator with a read-only key reads everything and changes nothing', async () => {
  const operator = await fixtures.operator();
  const key = await keyOf(operator, sql`read_only = true`);
  await nothingChanges(async () => {
    for (const route of operatorRoutes) {
      const { status, body } = await call(route, { key });
      const code = route.credential === undefined ? 'key_read_only' : 'session_required';
      assert.deepEqual(
        [status, status === 200 || body.code],
        route.method === 'GET' ? [200, true] : [403, code],
        route.operationId,
      );
    }
    return [];
  });
});

test('403 proof_required: what is dangerous needs a recent proof of a session, and what opens an account is not for keys', async () => {
  const operator = await fixtures.operator();
  const cookie = await signIn(harness, operator);
  const answers = { proof: [] as string[], key: [] as string[] };
  await nothingChanges(async () => {
    for (const route of operatorRoutes.filter(({ method }) => method !== 'GET')) {
      if (route.proof || route.credential) {
        const { body } = await call(route, { cookie });
        assert.equal(body.code, 'proof_required', route.operationId);
        answers.proof.push(route.operationId);
      }
      if (route.credential) {
        const { body } = await call(route, { key: operator.key });
        assert.equal(body.code, 'session_required', route.operationId);
        answers.key.push(route.operationId);
      }
    }
    return [];
  });
  assert.deepEqual(answers, {
    proof: [
      'deactivate_user',
      'activate_user',
      'create_sign_in_link',
      'reset_two_factor',
      'grant_user_credits',
      'grant_workspace_credits',
    ],
    key: ['create_sign_in_link', 'reset_two_factor'],
  });
});

test('an operator does every operation, each change is in the trail of operators with who did it, and what is unknown is a 404', async () => {
  const operator = await fixtures.operator();
  const cookie = await signIn(harness, operator, { proven: true });
  const unknown = Object.fromEntries(Object.keys(there).map((name) => [name, randomUUID()]));
  for (const route of operatorRoutes) {
    if (route.path.includes('{')) {
      const refused = await call(route, { cookie }, unknown);
      assert.equal(refused.status, 404, route.operationId);
    }
    const ids = route.method === 'GET' ? there : await made();
    if (route.operationId === 'activate_user')
      await db.many(sql`update app_user set is_active = false where id = ${ids.user_id}`);
    const { status, text } = await call(route, { cookie }, ids);
    assert.equal(status, Number(Object.keys(route.responses)[0]), `${route.operationId}: ${text}`);
  }
  const { body } = await request(
    'GET',
    `/api/operator/audit-events?actor_user_id=${operator.id}&limit=200`,
    operator,
  );
  const done = body.filter(({ outcome }: { outcome: string }) => outcome === 'done');
  assert.deepEqual(done.map(({ action }: { action: string }) => action).sort(), [
    'credits.grant',
    'credits.grant',
    'mail.resend',
    'sign_in_link.create',
    'user.activate',
    'user.deactivate',
    'user.reset_two_factor',
    'webhook.resend',
  ]);
  for (const event of done) assert.equal(event.actor_email, operator.email);
});

test('being an operator opens nothing of a workspace, a project or a task', async () => {
  const operator = await fixtures.operator();
  const task = await fixtures.task(project, person);
  for (const path of [
    `/api/organizations/${workspace}`,
    `/api/organizations/${workspace}/members`,
    `/api/organizations/${workspace}/billing/balance`,
    `/api/organizations/${workspace}/audit-events`,
    `/api/projects/${project}`,
    `/api/tasks/${task}`,
    `/api/tasks/${task}/messages`,
    `/api/webhooks/${webhook}/deliveries`,
  ])
    assert.equal((await request('GET', path, operator)).status, 403, path);
});

test('422: an id that is none, and a cursor of another list', async () => {
  const operator = await fixtures.operator();
  const cookie = await signIn(harness, operator, { proven: true });
  const wrong = Object.fromEntries(Object.keys(there).map((name) => [name, 'x']));
  for (const route of operatorRoutes.filter(({ path }) => path.includes('{')))
    assert.equal((await call(route, { cookie }, wrong)).status, 422, route.operationId);
  for (const { path, query } of operatorRoutes)
    if (query?.properties.cursor !== undefined)
      assert.equal((await request('GET', `${path}?cursor=x`, operator)).status, 422, path);
});
