import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { TSchema } from 'typebox';
import { enterMode } from '../../billing/mode/enter-mode.ts';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { fileOf, readFiles, writeFiles } from '../database/statement-files.ts';
import { genericPlan, type Sent, watchStatements } from '../database/statements.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { signIn } from '../fixtures/identity/session.ts';
import type { User } from '../fixtures/tenants.ts';
import { type Reply, startHarness } from '../harness/harness.ts';
import { probe } from '../harness/probe.ts';
import type { Keywords } from './members.ts';
import { ROUND_TRIPS } from './round-trips.ts';
import { idsOf, makeTenant, requestSample, successOf, type Tenant } from './tenant.ts';

// Every operation is called well once, and each test looks at one thing that came of it: what it
// sent to PostgreSQL, the row in the audit trail (ruling 1.17), and the answer.

/** Changes that leave no row, each with its reason. */
const UNRECORDED: Record<string, string> = {
  complete_top_up: 'the credit is recorded as the change of the request that began the charge',
  probe_odoo_url: 'it changes nothing, here or there',
  probe_odoo_login: 'it changes nothing, here or there',
  set_aside_task: 'it changes what the person sees of their own inbox alone',
  bring_back_task: 'it changes what the person sees of their own inbox alone',
  update_notification_settings: 'it changes what the person is told alone',
  set_task_subscription: 'it changes what the person is told alone',
  unfollow_task: 'it changes what the person is told alone',
  mute_project: 'it changes what the person is told alone',
  unmute_project: 'it changes what the person is told alone',
};

/** Reads that leave a row, each with its reason. */
const RECORDED_READS: Record<string, string> = {
  export_workspace: 'a copy of everything has left the server',
};

/** What no row may contain: keys, tokens, links, and whatever else opens something. */
const SECRETS = [
  /gld_/,
  /https?:/,
  /[?&]token=/,
  /"(?:\w+_)?(?:token|secret|password|link|key)"/i,
  /pm_card_/,
  /a secret for tests/,
];

interface Row {
  action: string;
  outcome: string;
  actor_user_id: string | null;
  key_id: string | null;
  organization_id: string | null;
  project_id: string | null;
  text: string;
}

const harness = await startHarness({ github: await startGithub() });
const { db, request, routes, operatorRoutes, databaseUrl } = harness;
/** What needs real money comes last: from then on, there is no test money any more. */
const NEEDS_REAL_MONEY = ['grant_user_credits', 'grant_workspace_credits'];
const needsRealMoney = ({ operationId }: Route) => NEEDS_REAL_MONEY.includes(operationId);
const all = [
  ...routes,
  ...operatorRoutes.filter((route) => !needsRealMoney(route)),
  ...operatorRoutes.filter(needsRealMoney),
];

/** What came of the good request of an operation. */
interface Performed {
  tenant: Tenant;
  reply: Reply;
  sent: Sent[];
  rows: Row[];
}

let log: Sent[] = [];
watchStatements((sent) => log.push(sent));
/** By its text. */
const seen = new Map<string, Sent>();

/** What this sends, but for the use of keys and sessions, which is written now and then beside any request. */
async function sentBy(work: () => Promise<Reply>): Promise<{ reply: Reply; sent: Sent[] }> {
  log = [];
  const reply = await work();
  const sent = log.filter(({ text }) => !/set last_(used|seen)_at = noted\.at/.test(text));
  for (const each of sent) seen.set(each.text, each);
  return { reply, sent };
}

async function perform(route: Route): Promise<Performed> {
  const caller = route.area === 'Operation' ? await harness.fixtures.operator() : undefined;
  const tenant = await makeTenant(harness, 'owner', { caller, only: [route] });
  if (needsRealMoney(route)) await enterMode(db, { mode: 'credits', testMoney: false });
  const { key, headers } = await credentialFor(route, tenant.caller);
  // Once for the credential to be known, as it is in all but the first request with it.
  await request('GET', '/api/billing/balance', { ...(key && { key }), headers });
  const requestId = `performs-${route.operationId}`;
  const done = await sentBy(() =>
    requestSample(harness, route, tenant, {
      key,
      headers: { ...headers, 'x-request-id': requestId },
    }),
  );
  const rows = await db.many<Row>(sql`
    select action, outcome, actor_user_id, key_id, organization_id, project_id,
           to_jsonb(e)::text as text
      from audit_event e where request_id = ${requestId} order by occurred_at`);
  // The statement of a page is another than that of the whole list.
  if (route.query?.properties.limit !== undefined)
    await sentBy(() =>
      requestSample(harness, route, tenant, { key, headers, query: { limit: '2' } }),
    );
  return { ...done, tenant, rows };
}

/** A key, or a session where only that opens the operation. */
async function credentialFor(
  { credential }: Route,
  user: User,
): Promise<{ key: string | undefined; headers: Record<string, string> }> {
  if (credential === undefined) return { key: user.key, headers: {} };
  const cookie = await signIn(harness, user, { proven: true });
  return { key: undefined, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
}

const performed = new Map<string, Performed>();
for (const route of all) performed.set(route.operationId, await perform(route));

const cameOf = ({ operationId }: Route): Performed =>
  performed.get(operationId) ?? assert.fail(operationId);

for (const route of all) {
  const trips =
    ROUND_TRIPS[route.operationId] ?? ((await probe(route)) === undefined ? undefined : 1);
  test(`${route.operationId}: ${trips} ${trips === 1 ? 'round trip' : 'round trips'}, each a named statement`, () => {
    assert.ok(trips, 'add it to ROUND_TRIPS');
    const { reply, sent } = cameOf(route);
    assert.equal(reply.status, successOf(route), reply.text);
    assert.equal(sent.length, trips, sent.map(({ text }) => text).join('\n---\n'));
    for (const { name, text } of sent)
      assert.ok(name !== undefined || /^(begin|commit|rollback)\b/.test(text), text);
  });
}

// With scans made dear, a plan still has one only where no index can answer.
test('no statement of any operation scans a table that grows', async () => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    // In a small table, a subquery that is read once and whole costs less than one by an index.
    await client.query(`
      update pg_class set reltuples = 100000, relpages = 1
       where relnamespace = 'public'::regnamespace and relkind = 'r'`);
    const scans: string[] = [];
    for (const { text, name } of seen.values()) {
      const select = text.replace(/^declare \w+ no scroll cursor for/, '');
      if (name === undefined || /^(fetch|close) /.test(text)) continue;
      const plan = await genericPlan(client, select);
      // The table of the billing mode has one row.
      for (const [, table] of plan.matchAll(/Seq Scan on (?!billing_mode\b)(\w+)/g))
        scans.push(`${table}: ${text}\n${plan}`);
    }
    assert.ok(seen.size > 20);
    assert.deepEqual(scans, []);
  } finally {
    await client.end();
  }
});

test('server/db/statements holds what each operation sends to PostgreSQL', async () => {
  const files = new Map(
    all.map((route) => [`${route.operationId}.sql`, fileOf(route, cameOf(route).sent)] as const),
  );
  if (process.env.GUILDHALL_WRITE_STATEMENTS !== undefined) await writeFiles(files);
  const written = await readFiles();
  assert.deepEqual([...written.keys()].sort(), [...files.keys()].sort(), 'run `npm run sql`');
  for (const [name, text] of files)
    assert.equal(written.get(name), text, `${name} is stale: run \`npm run sql\``);
});

for (const route of routes.filter(({ method }) => method !== 'GET')) {
  const reason = UNRECORDED[route.operationId];
  if (reason !== undefined) {
    test(`${route.operationId} leaves no audit row: ${reason}`, () => {
      assert.deepEqual(cameOf(route).rows, []);
    });
    continue;
  }
  test(`${route.operationId} leaves who did it, where, and no secret`, () => {
    const { tenant, rows } = cameOf(route);
    assert.ok(rows.length > 0, 'no audit row with the id of the request');
    for (const { outcome, actor_user_id, key_id, text } of rows) {
      assert.deepEqual([outcome, actor_user_id], ['done', tenant.caller.id], text);
      assert.ok(key_id, text);
      for (const secret of [...SECRETS, tenant.caller.key.slice(4)]) assert.ok(!text.match(secret));
    }
    const { org_id, project_id } = idsOf(route, tenant);
    if (/\{(org|team|project|task)_id\}/.test(route.path)) {
      assert.ok(
        rows.some(({ organization_id }) => organization_id === org_id),
        `no row says the workspace: ${rows[0]?.text}`,
      );
    }
    if (/\{(project|task)_id\}/.test(route.path)) {
      assert.ok(
        rows.some((row) => row.project_id === project_id),
        `no row says the project: ${rows[0]?.text}`,
      );
    }
  });
}

for (const route of routes.filter(({ method }) => method === 'GET')) {
  const reason = RECORDED_READS[route.operationId];
  test(`${route.operationId} leaves ${reason === undefined ? 'no audit row' : `a row: ${reason}`}`, () => {
    const { tenant, rows } = cameOf(route);
    assert.deepEqual(
      rows.map(({ outcome, organization_id }) => [outcome, organization_id]),
      reason === undefined ? [] : [['done', tenant.ids.org_id]],
    );
  });
}

test('the exceptions name operations that exist', () => {
  const known = routes.map(({ operationId }) => operationId);
  for (const name of [...Object.keys(UNRECORDED), ...Object.keys(RECORDED_READS)])
    assert.ok(known.includes(name), name);
});

/** Where a value holds a member that its schema does not declare. */
function undeclared(schema: Keywords, value: unknown, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((each, i) => undeclared(schema.items ?? {}, each, `${at}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  // Of the audit trail, which says of everything how it was before and after.
  if (schema.additionalProperties === true) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const [anyName] = Object.values(schema.patternProperties ?? {});
    const member = schema.properties?.[name] ?? anyName;
    return member === undefined ? [`${at}.${name}`] : undeclared(member, each, `${at}.${name}`);
  });
}

const SHOWS_SECRET = [
  'create_workspace_webhook',
  'create_project_webhook',
  'rotate_webhook_secret',
  'rotate_routine_token',
];

test('API3: every answer holds the members that are declared, and no other; a refusal holds detail and code', async () => {
  assert.deepEqual(undeclared({ items: { properties: { a: {} } } }, [{ a: 1, b: 1 }], ''), [
    '[0].b',
  ]);
  for (const route of routes) {
    const { tenant, reply } = cameOf(route);
    const refused = await requestSample(harness, route, tenant, { key: undefined });
    assert.deepEqual(Object.keys(refused.body).sort(), ['code', 'detail']);
    const { schema } = route.responses[reply.status] as { schema: TSchema };
    // What a file holds has a format of its own.
    if (!reply.headers.has('content-disposition'))
      assert.deepEqual(undeclared(schema as Keywords, reply.body, route.operationId), []);
    // That there is a secret, and since when, may be shown; that of a webhook or a routine is, once.
    const shown = reply.text.replaceAll(
      SHOWS_SECRET.includes(route.operationId)
        ? /"secret":"whsec_[\w+/=]{44}"|"token":"gldr_[\w-]{43}"/g
        : /"(has_secret|secret_set_at|secret_expires_at)"|"secret":(true|false)/g,
      '',
    );
    assert.doesNotMatch(shown, /secret|password|token_hash|secret_hash|"token"/);
  }
});

test('API4: the limits of a request are declared by its answer: everybody’s, and a stricter one for what saves or charges a card, sends mail, uploads a file or asks an ERP server', () => {
  const charges = ({ operationId, body }: Route) =>
    operationId === 'set_up_payment_method' ||
    ['amount', 'payment_method_id'].every((name) =>
      ((body as { required?: string[] } | undefined)?.required ?? []).includes(name),
    );
  const sendsMail = ({ operationId }: Route) =>
    ['create_invitation', 'resend_invitation', 'create_project_invitation'].includes(operationId);
  // An update asks only if it names another server; the sample changes the name.
  const asksServer = ({ operationId }: Route) =>
    /^(probe_odoo_\w+|create_odoo_connection)$/.test(operationId);
  for (const route of routes) {
    const { headers } = cameOf(route).reply;
    const policies = (headers.get('ratelimit-policy') ?? '')
      .split(', ')
      .map((each) => each.split(';')[0]);
    const stricter = charges(route)
      ? 'add-funds'
      : sendsMail(route)
        ? 'invitations'
        : route.upload !== undefined
          ? 'uploads'
          : asksServer(route)
            ? 'probes'
            : undefined;
    assert.deepEqual(
      policies,
      stricter === undefined ? ['"user"'] : ['"user"', `"${stricter}"`],
      route.operationId,
    );
  }
});
