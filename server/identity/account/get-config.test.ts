import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { defaultCatalog } from '../../platform/catalog/catalog.ts';
import { readConfig } from '../../platform/config/config.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { shownOf } from './get-config.ts';

const directory = await mkdtemp(join(tmpdir(), 'guildhall-config-'));
after(() => rm(directory, { recursive: true }));

const { db, fixtures, request } = await startHarness();
const user = await fixtures.user();
const get = (headers = {}, key: string | undefined = user.key) =>
  request('GET', '/api/config', { key, headers });

test('200: what this server offers, its limits, and what it can do', async () => {
  const { status, body } = await get();
  assert.equal(status, 200);
  assert.match(body.version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(
    {
      erp: body.erp,
      models: body.models,
      pods: body.pods,
      images: body.images,
      erp_instances: body.erp_instances,
    },
    defaultCatalog,
  );
  assert.deepEqual(body.limits, {
    body_bytes: 65_536,
    page_size: 200,
    top_up_minimum: '1.00',
    top_up_maximum: '10000.00',
    requests_per_minute: 1_000_000,
    add_funds_per_minute: 1_000_000,
    invitations_per_minute: 1_000_000,
  });
  assert.deepEqual(body.features, {
    billing: 'sandbox',
    cards: 'sandbox',
    code_hosts: true,
    pods: true,
    agents: true,
    confined: true,
    erp_instances: true,
    erp_sandbox: true,
    erp_dumps: false,
    mail: false,
    create_workspaces: 'anyone',
    create_projects: 'anyone',
  });
  const [local, { reason, ...github }] = body.code_hosts;
  assert.deepEqual(local, { host: 'local', available: true });
  assert.deepEqual(github, { host: 'github', available: false });
  assert.match(reason, /no GitHub App: ask its operator/);
});

test('without Git, no code host is available, and the answer says why', () => {
  const { code_hosts, features } = shownOf(readConfig({}), false);
  assert.equal(features.code_hosts, false);
  assert.deepEqual(
    code_hosts.map(({ host, available }) => [host, available]),
    [
      ['local', false],
      ['github', false],
      ['gitea', false],
    ],
  );
  assert.match(code_hosts[0]?.reason ?? '', /no Git, or one older than 2\.38: ask its operator/);
});

test('what ERP instances are: a fake where nothing is set, none with a database', () => {
  const featuresOf = (env: Record<string, string>) => {
    const { erp_instances, erp_sandbox } = shownOf(readConfig(env), true).features;
    return [erp_instances, erp_sandbox];
  };
  assert.deepEqual(featuresOf({}), [true, true]);
  assert.deepEqual(featuresOf({ DATABASE_URL: 'postgres://db.example.com/guildhall' }), [
    false,
    false,
  ]);
});

test('dumps are offered where programs prepare them and are run', async () => {
  const erp_programs = [
    { version: '19.0', editions: ['community'], start: ['true'], prepare: ['true'] },
  ];
  const GUILDHALL_CATALOG = join(directory, 'dumps.json');
  await writeFile(GUILDHALL_CATALOG, JSON.stringify({ erp_programs }));
  const dumpsOf = (ERP_INSTANCES: string) =>
    shownOf(readConfig({ GUILDHALL_CATALOG, ERP_INSTANCES }), true).features.erp_dumps;
  assert.deepEqual(['command', 'off', 'sandbox'].map(dumpsOf), [true, false, false]);
});

test('200: another catalog, another processor and other limits are shown, under another ETag', async () => {
  const file = join(directory, 'catalog.json');
  await writeFile(file, JSON.stringify({ models: [] }));
  const other = await startHarness({
    env: {
      GUILDHALL_CATALOG: file,
      STRIPE_SECRET_KEY: 'sk_test_1234',
      TOP_UP_MIN: '2.5',
      SMTP_URL: 'smtp://mail.example.com',
    },
  });
  const { key } = await other.fixtures.user();
  const { body, headers } = await other.request('GET', '/api/config', { key });
  assert.deepEqual([body.models, body.features.cards, body.features.mail], [[], 'stripe', true]);
  assert.equal(body.limits.top_up_minimum, '2.50');
  assert.notEqual(headers.get('etag'), (await get()).headers.get('etag'));
});

test('the same for every caller, also with a key of one workspace', async () => {
  const { text, headers } = await get();
  const other = await fixtures.user();
  const workspace = await fixtures.workspace(other);
  await db.many(
    sql`update api_key set organization_id = ${workspace}, read_only = true
         where user_id = ${other.id}`,
  );
  const theirs = await get({}, other.key);
  assert.deepEqual([theirs.status, theirs.text], [200, text]);
  assert.equal(theirs.headers.get('etag'), headers.get('etag'));
});

test('304: a caller who has the current one gets no other; it may be kept for a minute', async () => {
  const { headers } = await get();
  const etag = headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]{43}"$/);
  assert.equal(headers.get('cache-control'), 'private, max-age=60');
  for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
    const reply = await get({ 'if-none-match': known });
    assert.deepEqual([reply.status, reply.text], [304, ''], known);
    assert.equal(reply.headers.get('etag'), etag);
    assert.equal(reply.headers.get('cache-control'), 'private, max-age=60');
    assert.ok(reply.headers.get('ratelimit'));
  }
  for (const unknown of ['"other"', etag.replaceAll('"', ''), '', `"x${etag.slice(1)}`, '**'])
    assert.equal((await get({ 'if-none-match': unknown })).status, 200, unknown);
});

test('401: without a credential nothing is shown, whatever is known, and nothing may be kept', async () => {
  const { headers } = await get();
  const reply = await request('GET', '/api/config', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  assert.equal(reply.status, 401);
  assert.equal(reply.headers.get('cache-control'), 'no-store');
});
