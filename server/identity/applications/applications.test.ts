import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { type Browser, signedIn } from '../../testing/clients/browser.ts';
import { CALLBACK, connectByOauth, consent, pkce } from '../../testing/clients/oauth.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { deactivateUser } from '../users/users.ts';
import { purgeApplications } from './register-client.ts';

const harness = await startHarness({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
const { db, fixtures, log, request, unchanged, url } = harness;

const otherDigit = (digit: string) => (digit === '0' ? '1' : '0');

let networks = 0;

/** From a network of its own, unless there is one. */
const post = async (path: string, body: URLSearchParams | string, from?: string) => {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { ...json, 'x-forwarded-for': from ?? `198.51.100.${networks++}` };
  const reply = await fetch(`${url}${path}`, { method: 'POST', body, headers });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? {} : JSON.parse(text) };
};

const register = async (redirects: unknown = [CALLBACK], name: unknown = 'An editor') =>
  post('/oauth/register', JSON.stringify({ redirect_uris: redirects, client_name: name }));

interface Asking {
  client: string;
  verifier: string;
  challenge: string;
}

async function asking(): Promise<Asking> {
  return { client: (await register()).body.client_id, ...pkce() };
}

const parameters = ({ client, challenge }: Asking, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: client,
  redirect_uri: CALLBACK,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  resource: `${url}/mcp`,
  ...more,
});

const authorizeUrl = (fields: Record<string, string>) =>
  new URL(`/oauth/authorize?${new URLSearchParams(fields)}`, url);

const allow = async (browser: Browser, asked: Asking, readOnly = false): Promise<string> =>
  (await consent(browser, authorizeUrl(parameters(asked)), { readOnly })).searchParams.get(
    'code',
  ) as string;

const redeem = (asked: Asking, code: string, more: Record<string, string> = {}) =>
  post(
    '/oauth/token',
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: asked.client,
      redirect_uri: CALLBACK,
      code_verifier: asked.verifier,
      code,
      ...more,
    }),
  );

const renew = (client: string, token: string) =>
  post(
    '/oauth/token',
    new URLSearchParams({ grant_type: 'refresh_token', client_id: client, refresh_token: token }),
  );

const opens = async (token: string): Promise<number> => {
  const reply = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  await reply.text();
  return reply.status;
};

async function connected() {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const asked = await asking();
  const { body } = await redeem(asked, await allow(browser, asked));
  return { user, browser, asked, access: body.access_token, refresh: body.refresh_token };
}

test('the official client finds the server, registers, is let in by a person, and renews its token', async () => {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  const browser = await signedIn(harness, user);
  const start = log.length;
  let returned = new URL(url);
  const { client, kept } = await connectByOauth(url, async (authorize) => {
    assert.equal(authorize.searchParams.get('resource'), `${url}/mcp`);
    assert.equal(authorize.searchParams.get('code_challenge_method'), 'S256');
    returned = await consent(browser, authorize);
    return returned;
  });
  assert.deepEqual(
    [returned.searchParams.get('state'), returned.searchParams.get('iss')],
    ['a state/1e5', url],
  );
  const workspaces = async () =>
    (await client.callTool({ name: 'list_workspaces', arguments: {} })).structuredContent as {
      items: { id: string }[];
    };
  assert.deepEqual(
    (await workspaces()).items.map(({ id }) => id),
    [workspace],
  );
  const made = await client.callTool({
    name: 'list_projects',
    arguments: { organization_id: workspace },
  });
  assert.ok(!made.isError);
  const [{ id, name, read_only }] = (await browser.request('GET', '/auth/applications')).body;
  assert.deepEqual([name, read_only], ['A test', false]);
  assert.deepEqual((await browser.request('GET', '/auth/keys')).body.length, 1);
  const before = kept.tokens?.access_token;
  await db.many(sql`update api_key set expires_at = now() where id = ${id}`);
  assert.equal((await workspaces()).items.length, 1);
  assert.notEqual(kept.tokens?.access_token, before);
  const [trail] = await db.many(sql`
    select a.after ->> 'name' as name, a.session_id is not null as by_session
      from audit_event a where action = 'application.connect' and target_id = ${id}`);
  assert.deepEqual(trail, { name: 'A test', by_session: true });
  const [stored] = await db.many<{ text: string }>(sql`
    select k::text || o::text as text from api_key k join oauth_connection o on o.key_id = k.id
     where k.id = ${id}`);
  for (const text of [stored?.text ?? '', log.slice(start).join('')])
    for (const secret of [kept.tokens?.access_token, kept.tokens?.refresh_token, before])
      assert.ok(secret !== undefined && !text.includes(secret.slice(4)));
  await client.close();
});

test('what a person does not allow, an application cannot do: it reads, by /mcp alone', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const project = await fixtures.project({ organizationId: await fixtures.workspace(user) });
  const { client, kept } = await connectByOauth(url, (authorize) =>
    consent(browser, authorize, { readOnly: true }),
  );
  assert.equal(kept.tokens?.scope, 'read');
  const { tools } = await client.listTools();
  assert.ok(tools.every(({ name }) => /^(get|list)_/.test(name)));
  const refused = await unchanged(() =>
    client.callTool({
      name: 'create_task',
      arguments: { project_id: project, message: 'Do it' },
    }),
  );
  assert.equal((refused.structuredContent as { code: string }).code, 'key_read_only');
  await client.close();
  const token = kept.tokens?.access_token as string;
  for (const path of ['/api/account', '/auth/keys', '/git/x/info/refs'])
    assert.ok([401, 404].includes((await request('GET', path, { key: token })).status), path);
  const asked = await asking();
  const only = await consent(browser, authorizeUrl(parameters(asked, { scope: 'read' })));
  const granted = await redeem(asked, only.searchParams.get('code') as string);
  assert.equal(granted.body.scope, 'read');
});

test('a code is exchanged once: a race has one winner, whose tokens then end', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const asked = await asking();
  const code = await allow(browser, asked);
  const replies = await Promise.all(Array.from({ length: 6 }, () => redeem(asked, code)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400]);
  const granted = replies.find(({ status }) => status === 200)?.body;
  assert.equal(await opens(granted.access_token), 401);
  assert.equal((await renew(asked.client, granted.refresh_token)).body.error, 'invalid_grant');
  const [trail] = await db.many<{ why: string }>(sql`
    select after ->> 'why' as why from audit_event
     where action = 'application.disconnect' and actor_user_id = ${user.id}`);
  assert.equal(trail?.why, 'code_used_twice');
});

test('a code is for its application, address, verifier and minute, and nothing changes otherwise', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const [asked, other] = [await asking(), await asking()];
  const code = await allow(browser, asked);
  for (const [more, error] of [
    [{ code_verifier: other.verifier }, 'invalid_grant'],
    [{ code_verifier: '' }, 'invalid_grant'],
    [{ code_verifier: asked.challenge }, 'invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:33419/callback' }, 'invalid_grant'],
    [{ client_id: other.client }, 'invalid_grant'],
    [{ client_id: 'x' }, 'invalid_client'],
    [{ code: `glc_${'a'.repeat(43)}` }, 'invalid_grant'],
    [{ code: "' or true --" }, 'invalid_grant'],
    [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token' }, 'invalid_grant'],
  ] as [Record<string, string>, string][]) {
    const refused = await unchanged(() => redeem(asked, code, more));
    assert.equal(refused.body.error, error, JSON.stringify(more));
  }
  const twice = new URLSearchParams([
    ['grant_type', 'authorization_code'],
    ['grant_type', 'refresh_token'],
  ]);
  for (const body of [twice, '{}'])
    assert.equal((await unchanged(() => post('/oauth/token', body))).body.error, 'invalid_request');
  await db.many(sql`
    update api_key set expires_at = now() where user_id = ${user.id} and oauth_client_id is not null`);
  const late = await unchanged(() => redeem(asked, code));
  assert.equal(late.body.error, 'invalid_grant');
});

test('a refresh token is replaced: twice at once gives the same answer, an old one ends the connection', async () => {
  const { user, asked, access, refresh } = await connected();
  const stranger = await asking();
  const foreign = await unchanged(() => renew(stranger.client, refresh));
  assert.equal(foreign.body.error, 'invalid_grant');
  const replies = await Promise.all(Array.from({ length: 4 }, () => renew(asked.client, refresh)));
  const answers = new Set(replies.map(({ body }) => `${body.access_token} ${body.refresh_token}`));
  assert.deepEqual([replies.map(({ status }) => status), answers.size], [[200, 200, 200, 200], 1]);
  const { access_token, refresh_token } = replies[0]?.body ?? {};
  assert.deepEqual([await opens(access), await opens(access_token)], [401, 200]);
  const third = (await renew(asked.client, refresh_token)).body;
  assert.equal(await opens(third.access_token), 200);
  // The first one is now neither the current nor the one before it.
  assert.equal((await renew(asked.client, refresh)).body.error, 'invalid_grant');
  assert.equal(await opens(third.access_token), 401);
  const after = await unchanged(() => renew(asked.client, third.refresh_token));
  assert.equal(after.body.error, 'invalid_grant');
  const [trail] = await db.many<{ why: string }>(sql`
    select after ->> 'why' as why from audit_event
     where action = 'application.disconnect' and actor_user_id = ${user.id}`);
  assert.equal(trail?.why, 'refresh_token_used_twice');
});

test('the token before the current one is a second use once its moment is over, and an unused one ends', async () => {
  const { user, asked, refresh } = await connected();
  const { body } = await renew(asked.client, refresh);
  await db.many(sql`
    update oauth_connection o set rotated_at = now() - interval '31 seconds'
      from api_key k where k.id = o.key_id and k.user_id = ${user.id}`);
  assert.equal((await renew(asked.client, refresh)).body.error, 'invalid_grant');
  assert.equal(await opens(body.access_token), 401);
  const idle = await connected();
  await db.many(sql`
    update oauth_connection o set expires_at = now()
      from api_key k where k.id = o.key_id and k.user_id = ${idle.user.id}`);
  const late = await unchanged(() => renew(idle.asked.client, idle.refresh));
  assert.equal(late.body.error, 'invalid_grant');
  assert.deepEqual((await idle.browser.request('GET', '/auth/applications')).body, []);
});

test('an application ends with its removal, a new password, a deactivation, and when it says so', async () => {
  const removed = await connected();
  const [{ id }] = (await removed.browser.request('GET', '/auth/applications')).body;
  const path = `/auth/applications/${id}`;
  const stranger = await signedIn(harness, await fixtures.user());
  const foreign = await unchanged(() => stranger.request('DELETE', path));
  const asKey = await unchanged(() => removed.browser.request('DELETE', `/auth/keys/${id}`));
  assert.deepEqual([foreign.status, asKey.status, await opens(removed.access)], [404, 404, 200]);
  const replies = await Promise.all(
    Array.from({ length: 3 }, () => removed.browser.request('DELETE', path)),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404, 404]);
  const set = await connected();
  const changed = await set.browser.request('PUT', '/auth/password', {
    body: { password: 'vexing-lamp-otter-41' },
  });
  assert.equal(changed.status, 204);
  const left = await connected();
  await db.transaction((tx) => deactivateUser(tx, { id: left.user.id }));
  const revoked = await connected();
  const revoke = (client: string, token: string) =>
    post('/oauth/revoke', new URLSearchParams({ client_id: client, token }));
  const others = await unchanged(() => revoke(set.asked.client, revoked.refresh));
  assert.deepEqual([others.status, await opens(revoked.access)], [200, 200]);
  assert.equal((await revoke(revoked.asked.client, revoked.access)).status, 200);
  for (const { access, refresh, asked } of [removed, set, left, revoked]) {
    assert.equal(await opens(access), 401);
    const refused = await unchanged(() => renew(asked.client, refresh));
    assert.equal(refused.body.error, 'invalid_grant');
  }
});

test('a code of a person who has left, or set a new password, is not exchanged', async () => {
  for (const leave of [
    (_: Browser, id: string) => db.transaction((tx) => deactivateUser(tx, { id })),
    (browser: Browser) =>
      browser.request('PUT', '/auth/password', { body: { password: 'vexing-lamp-otter-41' } }),
  ]) {
    const user = await fixtures.user();
    const browser = await signedIn(harness, user);
    const asked = await asking();
    const code = await allow(browser, asked);
    await leave(browser, user.id);
    const refused = await unchanged(() => redeem(asked, code));
    assert.equal(refused.body.error, 'invalid_grant');
  }
});

test('a request that is not usable is refused in words, by both steps, and sends nobody anywhere', async () => {
  const browser = await signedIn(harness, await fixtures.user());
  const asked = await asking();
  const good = parameters(asked);
  const word = (query: string) => `q${Buffer.from(query).toString('base64url')}`;
  const query = (more: Record<string, string>) => `${new URLSearchParams({ ...good, ...more })}`;
  for (const [sent, code] of [
    ['-', 'application_unknown'],
    [query({ client_id: 'x' }), 'application_unknown'],
    [query({ client_id: asked.client.replace(/./, otherDigit) }), 'application_unknown'],
    [query({ redirect_uri: 'https://evil.example/callback' }), 'redirect_unknown'],
    [query({ redirect_uri: `${CALLBACK}/more` }), 'redirect_unknown'],
    [query({ redirect_uri: 'http://127.0.0.1:33418@evil.example/callback' }), 'redirect_unknown'],
    [query({ redirect_uri: 'http://localhost:33418/callback' }), 'redirect_unknown'],
    [`${query({})}&redirect_uri=https://evil.example`, 'redirect_unknown'],
    [query({ response_type: 'token' }), 'authorization_unusable'],
    [query({ code_challenge_method: 'plain' }), 'authorization_unusable'],
    [query({ code_challenge: '' }), 'authorization_unusable'],
    [query({ resource: 'https://elsewhere.example/mcp' }), 'authorization_unusable'],
    [`${query({})}&state=a&state=b`, 'authorization_unusable'],
  ] as const) {
    const request = word(sent);
    const seen = await browser.request('GET', `/auth/application-request?request=${request}`);
    const refused = await unchanged(() =>
      browser.request('POST', '/auth/application-request', { body: { request, read_only: true } }),
    );
    assert.deepEqual([seen.body.code, refused.body.code], [code, code], sent);
  }
  const loopback = query({ redirect_uri: 'http://127.0.0.1:50001/callback', state: '1e5' });
  const seen = await browser.request('GET', `/auth/application-request?request=${word(loopback)}`);
  assert.deepEqual(
    [seen.body.name, seen.body.write, seen.body.place],
    ['An editor', true, '127.0.0.1:50001 (a program on your computer)'],
  );
  const no = new URL(seen.body.refused_to).searchParams;
  assert.deepEqual(
    [no.get('error'), no.get('state'), no.get('iss')],
    ['access_denied', '1e5', url],
  );
});

test('registrations are checked, and what nobody lets in is deleted after a day', async () => {
  for (const redirects of [
    undefined,
    [],
    [7],
    ['http://example.com/callback'],
    ['https://a.example/#b'],
    ['https://user:word@a.example/'],
    ['javascript:alert(1)'],
    ['javascript://a.example/%0aalert(1)'],
    ['data:text/html,x'],
    [`https://a.example/${'x'.repeat(500)}`],
    Array.from({ length: 6 }, () => CALLBACK),
  ]) {
    const refused = await unchanged(() => register(redirects ?? null));
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_redirect_uri']);
  }
  for (const body of ['', '[]', '7', '{'])
    assert.equal(
      (await unchanged(() => post('/oauth/register', body))).body.error,
      'invalid_client_metadata',
    );
  const odd = await register(
    ['https://a.example/b', 'cursor://x/callback', 'com.example.app:/b'],
    `A\u202e\u0000${'b'.repeat(200)}`,
  );
  assert.equal(odd.status, 201);
  assert.equal(odd.body.client_name, `A${'b'.repeat(99)}`);
  const { asked } = await connected();
  const ids = [odd.body.client_id, asked.client];
  await harness.owner(sql`alter table oauth_client disable trigger oauth_client_stays`);
  await harness.owner(sql`
    update oauth_client set created_at = now() - interval '25 hours' where id = any(${ids}::uuid[])`);
  await harness.owner(sql`alter table oauth_client enable trigger oauth_client_stays`);
  await purgeApplications(db);
  const left = await db.many<{ id: string }>(sql`
    select id from oauth_client where id = any(${ids}::uuid[])`);
  assert.deepEqual(left, [{ id: asked.client }]);
});

test('one network cannot use up the registrations of others', async () => {
  const body = JSON.stringify({ redirect_uris: [CALLBACK] });
  const from = (network: string) => post('/oauth/register', body, network);
  for (let sent = 0; sent < 30; sent += 1) assert.equal((await from('192.0.2.1')).status, 201);
  const refused = await unchanged(() => from('192.0.2.1'));
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
  assert.equal((await from('192.0.2.2')).status, 201);
});

test('over plain HTTP under another name than that of this machine, it says that only keys work', async () => {
  const at = (method: string, path: string) =>
    new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
      (resolve, reject) => {
        const sent = httpRequest(
          `${url}${path}`,
          { method, headers: { host: 'guild.lan:8080', 'content-type': 'application/json' } },
          async (answer) => {
            let text = '';
            for await (const chunk of answer) text += chunk;
            resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
          },
        ).on('error', reject);
        sent.end(method === 'POST' ? JSON.stringify({ redirect_uris: [CALLBACK] }) : undefined);
      },
    );
  const described = await at('GET', '/.well-known/oauth-protected-resource/mcp');
  assert.equal(JSON.parse(described.text).authorization_servers, undefined);
  const metadata = await at('GET', '/.well-known/oauth-authorization-server');
  assert.equal(metadata.status, 409);
  const refused = await unchanged(() => at('POST', '/oauth/register'));
  for (const { text } of [metadata, refused]) assert.match(text, /has no HTTPS .* API key/);
});

test('race: nobody connects more than 50 applications', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const asked = await asking();
  const word = `q${Buffer.from(`${new URLSearchParams(parameters(asked))}`).toString('base64url')}`;
  const body = { request: word, read_only: true };
  await db.many(sql`
    with made as (
      insert into api_key (user_id, name, secret_hash, expires_at, oauth_client_id)
      select ${user.id}, 'x', sha256((${user.id} || n)::bytea), now() + interval '1 hour',
             ${asked.client}
        from generate_series(1, 48) n returning *)
    insert into oauth_connection (key_id, oauth_client_id, redirect_uri, code_hash, code_challenge)
    select id, oauth_client_id, 'https://a.example', secret_hash, secret_hash from made`);
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => browser.request('POST', '/auth/application-request', { body })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 409, 409, 409]);
});
