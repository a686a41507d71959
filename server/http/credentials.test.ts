import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { acrossWorkspaces } from '../access/account.ts';
import { onProjectsOrOne } from '../access/project.ts';
import { ownUsage } from '../access/usage.ts';
import { sql } from '../db/sql.ts';
import { signedIn } from '../testing/clients/browser.ts';
import { makeTenant, requestSample, successOf, tenantsFor } from '../testing/contract/tenant.ts';
import { startGithub } from '../testing/fixtures/code/github.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { isSameOrigin } from './session-cookie.ts';

const harness = await startHarness({ github: await startGithub() });
const { db, fixtures, request, routes, unchanged, url } = harness;

/** A browser's session, as sign-in makes it: the token is its cookie. */
async function session(user: User, { pending = false, hours = 1, ended = false } = {}) {
  const token = randomBytes(32).toString('base64url');
  await db.many(sql`
    insert into session (user_id, token_hash, pending, proven_at, created_at, expires_at, ended_at)
    values (${user.id}, ${hash('sha256', token, 'buffer')}, ${pending}, now(), now() - interval '1 day',
            now() + make_interval(hours => ${hours}), ${ended ? new Date() : null})`);
  return { cookie: `guildhall=${token}`, token };
}

type Route = (typeof routes)[number];

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

test('a session is a credential like a key, on every operation', async () => {
  const tenantFor = tenantsFor(harness);
  for (const route of routes) {
    const tenant = await tenantFor(route);
    const { cookie } = await session(tenant.caller);
    const reply = await requestSample(harness, route, tenant, {
      key: undefined,
      headers: { cookie: `theme=dark; ${cookie}`, ...sameOrigin },
    });
    assert.equal(reply.status, successOf(route), `${route.operationId}: ${reply.text}`);
  }
});

test('audit: a change by a session names it, and no key', async () => {
  const tenant = await makeTenant(harness);
  const { cookie, token } = await session(tenant.caller);
  const path = `/api/organizations/${tenant.ids.org_id}/teams`;
  const { body } = await request('POST', path, {
    body: { name: 'By session' },
    headers: { cookie, ...sameOrigin },
  });
  const [event] = await db.many<{ key_id: unknown; token_hash: Buffer }>(sql`
    select a.key_id, s.token_hash from audit_event a join session s on s.id = a.session_id
     where a.target_id = ${body.id}`);
  assert.equal(event?.key_id, null);
  assert.deepEqual(event?.token_hash, hash('sha256', token, 'buffer'));
});

test('audit: funds that a session adds to a workspace name the session and the workspace', async () => {
  const { ids, caller, card } = await makeTenant(harness);
  const { cookie } = await session(caller);
  const reply = await request('POST', `/api/organizations/${ids.org_id}/billing/add-funds`, {
    body: { amount: 3, payment_method_id: card },
    headers: { cookie, ...sameOrigin },
  });
  assert.equal(reply.status, 200, reply.text);
  const events = await db.many(sql`
    select a.organization_id, s.user_id, a.key_id
      from audit_event a left join session s on s.id = a.session_id
     where a.action = 'funds.add' and a.target_id = ${reply.body.top_up_id}`);
  assert.deepEqual(events, [{ organization_id: ids.org_id, user_id: caller.id, key_id: null }]);
});

test('401: pending, ended, expired and unknown sessions, one that came twice, one of a deactivated user', async () => {
  const user = await fixtures.user();
  const gone = await fixtures.user();
  const good = await session(user);
  const cookies = [
    (await session(user, { pending: true })).cookie,
    (await session(user, { ended: true })).cookie,
    (await session(user, { hours: -1 })).cookie,
    `guildhall=${randomBytes(32).toString('base64url')}`,
    'guildhall=',
    `${good.cookie}x`,
    `${good.cookie}; ${good.cookie}`,
    (await session(gone)).cookie,
  ];
  await db.many(sql`update app_user set is_active = false where id = ${gone.id}`);
  for (const cookie of cookies) {
    const reply = await request('GET', '/api/billing/balance', { headers: { cookie } });
    assert.deepEqual([reply.status, reply.body.code], [401, 'not_authenticated'], cookie);
  }
  const both = await request('GET', '/api/billing/balance', {
    headers: { cookie: good.cookie, authorization: 'Bearer gld_nonsense' },
  });
  assert.equal(both.body.code, 'invalid_api_key', 'a bad key is not made good by a cookie');
});

test('403: a change by cookie comes from a page of this server, or nothing changes', async () => {
  const tenant = await makeTenant(harness);
  const { cookie } = await session(tenant.caller);
  const changes = routes.filter(({ method }) => method !== 'GET');
  const refused = async (route: Route, from: Record<string, string> = {}) => {
    const headers = { cookie, ...from };
    const reply = await requestSample(harness, route, tenant, { key: undefined, headers });
    assert.deepEqual([reply.status, reply.body.code], [403, 'cross_site_request']);
  };
  await unchanged(async () => {
    for (const route of changes) await refused(route);
    // One function decides where a request comes from, whatever the route is.
    for (const from of [
      { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${url}.evil.example` },
    ])
      await refused(changes[0] as Route, from as Record<string, string>);
  });
});

test('a browser without Sec-Fetch-Site is known by its Origin, which is the public address or the Host; reading asks for neither', async () => {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  const { cookie } = await session(user);
  for (const origin of ['http://127.0.0.1:8080', url]) {
    const made = await request('POST', `/api/organizations/${workspace}/teams`, {
      body: { name: origin },
      headers: { cookie, origin },
    });
    assert.equal(made.status, 201, origin);
  }
  assert.equal((await request('GET', '/api/billing/balance', { headers: { cookie } })).status, 200);
});

test('with HTTPS, the Host of a request vouches for no Origin', () => {
  const headers = { host: 'nas:3000', origin: 'http://nas:3000' };
  assert.equal(isSameOrigin(headers, 'http://10.0.0.5:3000'), true);
  assert.equal(isSameOrigin(headers, 'https://guildhall.example.com'), false);
  const secure = { host: 'nas:3000', origin: 'https://nas:3000' };
  assert.equal(isSameOrigin(secure, 'https://guildhall.example.com'), false);
  assert.equal(isSameOrigin(secure, 'http://10.0.0.5:3000'), false);
  assert.equal(isSameOrigin({ origin: 'http://undefined' }, 'http://10.0.0.5:3000'), false);
});

test('403: a read-only key reads everything and changes nothing', async () => {
  const tenant = await makeTenant(harness);
  await db.many(sql`update api_key set read_only = true where user_id = ${tenant.caller.id}`);
  await unchanged(async () => {
    for (const route of routes) {
      const reply = await requestSample(harness, route, tenant);
      const expected = route.method === 'GET' ? [200, undefined] : [403, 'key_read_only'];
      assert.deepEqual([reply.status, reply.body?.code], expected, route.operationId);
    }
  });
});

test('403: a key of one workspace opens that one, and nothing of its user or of another', async () => {
  const inside = await makeTenant(harness);
  const outside = await makeTenant(harness);
  await db.many(sql`
    update api_key set organization_id = ${inside.ids.org_id as string}
     where user_id = ${inside.caller.id}`);
  await fixtures.member(outside.ids.org_id as string, inside.caller, 'admin');
  // These show a key what is in its workspace; each has a test of its own.
  const own: unknown[] = [acrossWorkspaces, onProjectsOrOne, ownUsage];
  const limited = routes.filter(({ access }) => !own.includes(access));
  const isOfWorkspace = (path: string) => /\{(org|project|task)_id\}/.test(path);
  await unchanged(async () => {
    for (const route of limited) {
      const reply = await requestSample(
        harness,
        route,
        { ...outside, caller: inside.caller },
        { key: inside.caller.key },
      );
      assert.deepEqual(
        [reply.status, reply.body?.code],
        [403, 'key_out_of_scope'],
        route.operationId,
      );
    }
  });
  for (const route of routes.filter(({ path, method }) => method === 'GET' && isOfWorkspace(path)))
    assert.equal((await requestSample(harness, route, inside)).status, 200, route.operationId);
});

test('403: what is dangerous asks a session for a recent proof, after the right, and a key for none', async () => {
  const dangerous = routes.filter(({ proof }) => proof);
  assert.deepEqual(dangerous.map(({ operationId }) => operationId).sort(), [
    'delete_project',
    'delete_workspace',
    'transfer_ownership',
    'transfer_project',
  ]);
  for (const route of dangerous) {
    const only = [route];
    const tenant = await makeTenant(harness, 'owner', { only });
    const viewer = await makeTenant(harness, 'viewer', { only });
    for (const [{ caller }, code] of [
      [tenant, 'proof_required'],
      [viewer, 'forbidden'],
    ] as const) {
      const browser = await signedIn(harness, caller, { provenMinutesAgo: 11 });
      const reply = await unchanged(() =>
        requestSample(harness, route, caller === viewer.caller ? viewer : tenant, {
          key: undefined,
          headers: { cookie: browser.cookie, ...sameOrigin },
        }),
      );
      assert.deepEqual([reply.status, reply.body.code], [403, code], route.operationId);
    }
    const reply = await requestSample(harness, route, tenant);
    assert.equal(reply.status, successOf(route), route.operationId);
  }
});

test('200: a request that asked for a proof is carried out under the same Idempotency-Key after it', async () => {
  const route = routes.find(({ operationId }) => operationId === 'transfer_project');
  assert.ok(route);
  const tenant = await makeTenant(harness);
  const send = async (provenMinutesAgo: number) =>
    requestSample(harness, route, tenant, {
      key: undefined,
      headers: {
        cookie: (await signedIn(harness, tenant.caller, { provenMinutesAgo })).cookie,
        ...sameOrigin,
        'idempotency-key': 'transfer once',
      },
    });
  const refused = await send(11);
  assert.deepEqual([refused.status, refused.body.code], [403, 'proof_required']);
  const done = await send(1);
  assert.equal(done.status, 200);
  assert.equal(done.headers.get('idempotent-replayed'), null);
  assert.equal((await send(1)).headers.get('idempotent-replayed'), 'true');
});
