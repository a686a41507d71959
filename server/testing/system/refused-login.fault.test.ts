import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { migrate } from '../../db/migrate.ts';
import { startCluster } from '../database/cluster.ts';
import { startHarness } from '../harness/harness.ts';

// An administrator changes the password of the server's login, or its right to log in, while the
// server runs.

const cluster = await startCluster();
await migrate(cluster.url);
await cluster.ask(`create role server login password 'first' in role guildhall_app`);
const { fixtures, request, log, unchanged } = await startHarness({
  databaseUrl: cluster.url,
  through: async (url) =>
    Object.assign(new URL(url), { username: 'server', password: 'first' }).href,
});
after(() => cluster.stop());

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const team = await fixtures.team(workspace);
const card = await fixtures.card(owner);
const requests: [string, string, unknown?][] = [
  ['GET', '/readyz'],
  ['GET', '/api/billing/balance'],
  ['GET', `/api/organizations/${workspace}/invitations`],
  ['PUT', `/api/organizations/${workspace}/teams/${team}`, { name: 'Renamed' }],
  ['POST', '/api/billing/add-funds', { amount: 5, payment_method_id: card }],
];

/** Ends the server's connections, so that the next requests need new ones. */
const endConnections = () =>
  cluster.ask(
    "select pg_terminate_backend(pid, 1000) from pg_stat_activity where usename = 'server'",
  );

for (const [what, change, back] of [
  [
    'a new password (28P01)',
    "alter role server password 'second'",
    "alter role server password 'first'",
  ],
  ['no right to log in (28000)', 'alter role server nologin', 'alter role server login'],
] as const) {
  test(`503: PostgreSQL refuses the server's login, ${what}: nothing changes, the log says what to do, and it recovers`, async () => {
    const start = log.length;
    await cluster.ask(change);
    await endConnections();
    await unchanged(async () => {
      for (const [method, path, body] of [...requests, ...requests]) {
        const reply = await request(method, path, { key: owner.key, body });
        assert.deepEqual(
          [reply.status, reply.body.code],
          [503, 'database_unavailable'],
          `${method} ${path}`,
        );
        assert.equal(reply.headers.get('retry-after'), '5');
        assert.doesNotMatch(reply.text, /password|login|server/);
      }
    });
    assert.equal((await request('GET', '/healthz')).status, 200);
    const said = log.slice(start).join('');
    assert.match(said, /PostgreSQL refuses the login in DATABASE_URL: .*start again/);
    assert.match(said, /password authentication failed|not permitted to log in/);
    assert.ok(!said.includes('first') && !said.includes('second'));

    await cluster.ask(back);
    for (const [method, path, body] of requests)
      assert.equal(
        (await request(method, path, { key: owner.key, body })).status,
        200,
        `${method} ${path}`,
      );
  });
}
