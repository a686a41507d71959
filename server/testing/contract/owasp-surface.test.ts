import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { FILE_PATH, IMAGE_ID } from '../../code/index.ts';
import { slug } from '../../http/input/fields.ts';
import { documentText, signInText } from '../../main/write-openapi.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { membersOf } from './members.ts';
import { makeTenant, requestSample } from './tenant.ts';

// OWASP API Security Top 10 (2023), 7, 8 and 9: outgoing requests, configuration, inventory.

const served: { method: string; url: string }[] = [];
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as {
    fastify: { addHook(name: string, hook: (route: Served) => void): void };
  };
  type Served = { method: string | string[]; url: string };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) served.push({ method: each, url });
  });
});
const github = await startGithub();
const harness = await startHarness({ webhookSecret: 'whsec_of_this_test', github });
const { routes, operatorRoutes, request } = harness;

/** What is served beside the operations, on purpose. */
const SERVICES = [
  'GET /',
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'POST /webhooks/stripe',
  'GET /unsubscribe/{token}',
  'POST /unsubscribe/{token}',
  'POST /webhooks/github',
  'POST /webhooks/gitea/{repository_id}',
  'POST /webhooks/routines/{routine_id}',
  'GET /git/{project_id}/{folder}/info/refs',
  'POST /git/{project_id}/{folder}/git-upload-pack',
  'POST /git/{project_id}/{folder}/git-receive-pack',
  'POST /mcp',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-authorization-server',
  'GET /oauth/authorize',
  'POST /oauth/register',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'GET /docs',
  'GET /docs/json',
  'GET /docs/yaml',
  'GET /docs/static/*',
  'GET /docs/static/index.html',
  'GET /docs/static/swagger-initializer.js',
];

test('API9: every path that is served is an operation of openapi.json or a service of this list, and nothing else is', async () => {
  const operationsOf = (document: string) =>
    Object.entries(JSON.parse(document).paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const documented = operationsOf(documentText());
  const declared = [...routes, ...operatorRoutes].map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(documented.sort(), declared.sort());
  const wanted = new Set([...documented, ...operationsOf(signInText()), ...SERVICES]);
  const found = new Map<string, boolean>();
  for (const { method, url } of served) {
    const name = `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
    if (method === 'HEAD' && wanted.has(name.replace('HEAD', 'GET').replace(/(?<=\w)\/$/, '')))
      continue;
    if (wanted.has(name)) found.set(name, true);
    else {
      // The other methods of a path that exists have a route too, which answers 405.
      const path = url.replaceAll(/:\w+/g, '3fa85f64-5717-4562-b3fc-2c963f66afa6');
      if (method === 'TRACE' || method === 'CONNECT') continue; // not for fetch to send: see http/wire.test.ts
      assert.equal((await request(method, path)).status, 405, `${name} is served, and in no list`);
    }
  }
  assert.deepEqual(
    [...wanted].filter((name) => !found.has(name)),
    [],
    'listed, and not served',
  );
});

test('API9: what often lies about is not there', async () => {
  for (const path of [
    '/api',
    '/api/v1',
    '/metrics',
    '/debug',
    '/admin',
    '/.env',
    '/.git/config',
    '/package.json',
    '/server-status',
    '/swagger.json',
    '/documentation/json',
    '/graphql',
    '/webhooks',
    '/api/users',
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/.npmrc',
    '/docs/static',
  ]) {
    const { status, body } = await request('GET', path);
    assert.deepEqual([status, body?.code], [404, 'not_found'], path);
  }
});

test('API8: no answer tells of the inside: no stack, no SQL, no path, no name of what it runs on', async () => {
  const tenant = await makeTenant(harness);
  const stranger = await makeTenant(harness, 'stranger');
  for (const route of routes) {
    const replies = [
      await requestSample(harness, route, tenant, { key: undefined }),
      await requestSample(harness, route, tenant, {
        ids: { org_id: "'; select 1--", project_id: "'", task_id: '"' },
      }),
      await requestSample(harness, route, tenant, route.method === 'GET' ? {} : { raw: '{"a":' }),
      await requestSample(harness, route, stranger),
      await request('PATCH', route.path),
      await requestSample(harness, route, tenant, { headers: { 'if-match': '"1' } }),
    ];
    for (const reply of replies) {
      const { headers } = reply;
      // The compressed bytes of a PDF have any letters by chance.
      const text = headers.get('content-type') === 'application/pdf' ? '' : reply.text;
      assert.doesNotMatch(text, /\n\s+at |\.ts\b|\.js\b|node_modules|\/home\/|\/app\/|stack/);
      assert.doesNotMatch(text, /postgres|pg_|relation |syntax error at|SQLSTATE|FST_|ERR_/i);
      for (const name of ['server', 'x-powered-by', 'via', 'set-cookie'])
        assert.equal(headers.get(name), null);
    }
  }
});

/** A word, such as the name of an icon, which can hold no address. */
const SLUG = (slug({ maxLength: 1 }) as { pattern?: string }).pattern;

/**
 * Their `url` is sent to through server/platform/outgoing/ alone, which checks where it may go; that
 * of an MCP server by agents, through the proxy of their pod.
 */
const GUARDED =
  /^(probe_odoo_url|probe_odoo_login|(create|update)_odoo_connection|import_repository|set_mcp_server|create_gitea_connection|create_(workspace|project)_webhook|update_webhook)$/;

test('API7: no operation takes an address from a caller, under whatever name, but those of ERP servers, imports, code hosts and webhooks', () => {
  for (const route of routes) {
    for (const place of ['params', 'query', 'body'] as const) {
      for (const [name, schema] of membersOf(route[place])) {
        const { format = '', pattern, enum: words, readOnly } = schema;
        // Sent back as it was shown, and not read.
        if (readOnly) continue;
        // An id is no address, that of a webhook neither.
        if (format === 'uuid') continue;
        // One of a few words is no address.
        if (pattern === SLUG || words !== undefined) continue;
        // Of the images that the operator offers, one by its id.
        if (pattern === IMAGE_ID) continue;
        // Of a file in a repository, which is found by git.
        if (pattern === FILE_PATH) continue;
        // Whom to invite: mail to them goes through the operator's own server.
        if (format === 'email' && name === 'email') continue;
        if (GUARDED.test(route.operationId) && name === 'url') continue;
        // What an uploaded file is called. It is shown, and never opened.
        if (name === 'filename') continue;
        assert.doesNotMatch(format, /ur[il]|iri|host|ipv|email/, `${route.operationId} ${name}`);
        assert.doesNotMatch(
          name,
          /ur[il]|href|link|host|domain|hook|callback|endpoint|server|redirect|image|avatar|icon|path|file/i,
          `${route.operationId} ${name}: if the server calls it, it has to be checked against where it may go`,
        );
      }
    }
  }
});

test('API7: the server connects to the card processor, GitHub, providers of sign-in, the rate-limit store, the bucket for files, the mail server, the trace receiver and the operator’s ERP instances only; their addresses are settings', async () => {
  const outward =
    /\bfetch\(|\bhttps?\.(?:get|request)\(|\bconnect\((?:\{|\d)|from 'undici'|new (?:Stripe|Redis|S3Client|OTLP\w+)\(|createTransport\(\{\s*pool/;
  const found: string[] = [];
  for (const name of await readdir('server', { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.startsWith('testing')) continue;
    // It runs in a pod, which reaches the gateway of its turn and nothing else.
    if (name.startsWith('runner/agents/sandbox/')) continue;
    if (outward.test(await readFile(`server/${name}`, 'utf8'))) found.push(name);
  }
  assert.deepEqual(found.sort(), [
    'billing/cards/stripe-client.ts',
    'code/github/send.ts',
    'erp/instances/entry/sign-in.ts',
    'erp/instances/plain-send.ts',
    'erp/instances/ready.ts',
    'http/rate-limit.ts',
    'identity/sign-in/providers/github.ts',
    'identity/sign-in/providers/oidc.ts',
    // The command `doctor`: the port of this server, and, if asked, what the settings name.
    'main/doctor/elsewhere.ts',
    'main/doctor/machine.ts',
    'platform/files/s3-store.ts',
    'platform/mail/smtp-transport.ts',
    // The source of an import, which it checks as server/platform/outgoing/ does.
    'platform/outgoing/guarded-proxy.ts',
    // What pods ask their proxy for: hosts of a list, at addresses that were checked.
    'runner/network/tunnel.ts',
    'telemetry/opentelemetry.ts',
  ]);
});
