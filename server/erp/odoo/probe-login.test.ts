import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FakeOdoo } from '../../testing/fakes/fake-odoo/fake.ts';
import type { FakeOdooOptions } from '../../testing/fakes/fake-odoo/server.ts';
import { outgoingTo, startOdoo } from '../../testing/fixtures/erp/fake-server.ts';
import { type ProbedLogin, probeLogin } from './probing.ts';

const outgoing = outgoingTo();

/** Probes as a user, by their key unless `secret` is given. No probe opens a browser's session. */
async function probe(
  fake: FakeOdoo,
  name: string,
  { most = 6, ...more }: Partial<ProbedLogin> & { most?: number } = {},
) {
  const { url } = fake;
  fake.requests.splice(0);
  const login = { login: name, database: 'main', secret: more.secret ?? fake.key(name), ...more };
  const found = await probeLogin(outgoing, { url, ...login });
  assert.ok(fake.requests.length <= most, `${fake.requests.length} requests`);
  assert.ok(fake.requests.every(({ path }) => path !== '/web/session/authenticate'));
  return found;
}

const paths = ({ requests }: FakeOdoo) => new Set(requests.map(({ path }) => path.split('/')[1]));

for (const version of ['16.0', '17.0', '18.0', '19.0'] as const) {
  const protocol = version === '19.0' ? 'json' : 'xmlrpc';

  test(`${version}: a key works over ${protocol}; what each user may do is found`, async () => {
    const fake = await startOdoo({ version });
    const users = { admin: 'admin', totp: 'write', clerk: 'read', portal: 'read' };
    for (const [name, access] of Object.entries(users)) {
      const found = await probe(fake, name);
      assert.deepEqual(
        [found.code, found.login_ok, found.access, found.message],
        [undefined, true, access, 'The login works.'],
        name,
      );
      const { id } = fake.database.users.find(({ login }) => login === name) ?? {};
      assert.equal(found.uid, id);
      assert.equal(found.edition, name === 'admin' ? 'community' : 'unknown');
      assert.ok(paths(fake).has(protocol));
    }
  });

  test(`${version}: a password works, and that of a user with two factors does not`, async () => {
    const fake = await startOdoo({ version, edition: 'enterprise' });
    const found = await probe(fake, 'clerk', { secret: fake.password('clerk'), kind: 'password' });
    assert.deepEqual(
      [found.login_ok, found.access, found.edition, found.expires_at],
      [true, 'read', 'enterprise', undefined],
    );
    assert.ok(!paths(fake).has('json'), 'a password was sent as a key');
    // Odoo says the same as to a wrong password, so this is not guessed.
    const secret = fake.password('totp');
    const refused = await probe(fake, 'totp', { secret, kind: 'password' });
    assert.deepEqual([refused.code, refused.login_ok], ['bad_credentials', false]);
    assert.match(refused.message, /use an API key/);
  });
}

test('the first expiry of the keys is found; passwords and older versions have none', async () => {
  const fake = await startOdoo({ version: '18.0' });
  const { expires_at } = await probe(fake, 'clerk');
  const [key] = fake.database.keys.filter(({ name }) => name === 'clerk');
  assert.equal(expires_at, `${key?.expiresAt?.toISOString().slice(0, 19)}.000Z`);
  const older = await startOdoo({ version: '17.0' });
  assert.equal((await probe(older, 'clerk')).expires_at, undefined);
});

test('bad_credentials: what is wrong with a login looks alike', async () => {
  const fake = await startOdoo();
  const wrong: [string, Partial<ProbedLogin>][] = [
    ['admin', { secret: 'wrong', kind: 'password' }],
    ['admin', { secret: '0'.repeat(40) }],
    ['unknown', { secret: 'wrong' }],
    ['gone', { secret: fake.password('gone'), kind: 'password' }],
    ['gone', {}],
    ['clerk', { secret: fake.key('expired') }],
    ['admin', { secret: fake.key('admin_otherscope') }],
    // A key is its person's, and XML-RPC needs both to agree.
    ['clerk', { secret: fake.key('admin') }],
  ];
  const outcomes = [];
  for (const [name, more] of wrong) {
    const { latency_ms: _, ...found } = await probe(fake, name, more);
    outcomes.push(found);
  }
  for (const each of outcomes) assert.deepEqual(each, outcomes[0]);
  assert.deepEqual([outcomes[0]?.code, outcomes[0]?.uid], ['bad_credentials', undefined]);
});

test('version 19 needs no login beside a key; earlier versions do', async () => {
  const fake = await startOdoo();
  assert.equal((await probe(fake, 'admin', { login: undefined })).login_ok, true);
  const older = await startOdoo({ version: '18.0' });
  assert.equal((await probe(older, 'admin', { login: undefined })).code, 'bad_credentials');
});

/** A server of this version, a database that is named, and what comes of it. */
const DATABASES: [string, FakeOdooOptions, string | undefined, string | undefined][] = [
  ['the only one is found', {}, undefined, undefined],
  ['one of two is named', { databases: ['main', 'other'] }, 'main', undefined],
  ['two, and none is named', { databases: ['main', 'other'] }, undefined, 'database_required'],
  ['one that is not there', {}, 'nope', 'database_unknown'],
  ['not there, and no list', { listDatabases: false }, 'nope', 'database_unknown'],
  ['PostgreSQL is down', { postgresDown: true }, 'main', 'database_down'],
];

for (const version of ['16.0', '19.0'] as const)
  for (const [what, options, database, code] of DATABASES)
    test(`${version}, databases: ${what}`, async () => {
      const fake = await startOdoo({ version, ...options });
      const found = await probe(fake, 'admin', { database });
      assert.deepEqual([found.code, found.login_ok], [code, code === undefined]);
    });

test('a database that the server names like the secret is neither used nor shown', async () => {
  const fake = await startOdoo({ version: '18.0', databases: ['clerk-3f1c0a9e'] });
  const clerk = fake.database.users.find(({ login }) => login === 'clerk');
  assert.ok(clerk);
  clerk.password = 'clerk-3f1c0a9e';
  const login = { secret: clerk.password, kind: 'password' as const, database: undefined };
  const { code, database } = await probe(fake, 'clerk', login);
  assert.deepEqual([code, database], ['database_required', undefined]);
});

test('a server that chooses the database by its host is asked again without the name', async () => {
  const fake = await startOdoo({ chosenByHost: true, databases: ['main', 'other'] });
  const found = await probe(fake, 'totp', { login: undefined, most: 7 });
  assert.deepEqual([found.login_ok, found.database], [true, 'main']);
  // Elsewhere, another database than the named one must not look like it.
  const other = await startOdoo({ databases: ['main'] });
  assert.equal((await probe(other, 'totp', { database: 'nope' })).code, 'database_unknown');
});

test('api_not_allowed: XML-RPC is closed, and the server has nothing else for this secret', async () => {
  const fake = await startOdoo({ version: '18.0', closed: ['/xmlrpc'] });
  assert.equal((await probe(fake, 'admin')).code, 'api_not_allowed');
  const current = await startOdoo({ closed: ['/xmlrpc', '/jsonrpc'] });
  assert.equal((await probe(current, 'admin', { most: 7 })).login_ok, true);
  const closed = await startOdoo({ closed: ['/json/2'] });
  assert.equal((await probe(closed, 'admin')).code, 'api_not_allowed');
});

test('rate_limited, redirected and not_odoo: nothing more is asked', async () => {
  const there = await startOdoo();
  for (const [code, options] of [
    ['rate_limited', { rateLimited: 5 }],
    ['redirected', { redirect: { status: 308, to: there.url } }],
    ['not_odoo', { instead: { status: 404 } }],
  ] as const) {
    const fake = await startOdoo(options);
    const secret = fake.key('admin');
    assert.equal((await probe(fake, 'admin')).code, code);
    for (const { body, headers } of [...fake.requests, ...there.requests])
      assert.ok(!JSON.stringify([body, headers]).includes(secret), 'the secret was sent');
  }
});

test('a server that turns into a redirection sees the secret, and its target does not', async () => {
  const there = await startOdoo();
  const fake = await startOdoo();
  const send: typeof outgoing.send = async (request) => {
    const answer = await outgoing.send(request);
    fake.behave({ redirect: { status: 307, to: there.url } });
    return answer;
  };
  const { url } = fake;
  const login = { url, login: 'admin', database: 'main', secret: fake.key('admin') };
  assert.equal((await probeLogin({ send }, login)).code, 'redirected');
  assert.equal(there.requests.length, 0);
});

test('version_mismatch: the login works, and the version is another one', async () => {
  const fake = await startOdoo({ version: '18.0' });
  const found = await probe(fake, 'admin', { erpVersion: '19.0' });
  assert.deepEqual([found.code, found.login_ok], ['version_mismatch', true]);
});
