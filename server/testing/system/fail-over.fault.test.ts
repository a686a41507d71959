import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../db/migrate.ts';
import { startCluster } from '../database/cluster.ts';
import { startProxy } from '../database/proxy.ts';
import { STANDBY } from '../database/standby.ts';
import { startHarness } from '../harness/harness.ts';
import { startLoad } from '../harness/load.ts';
import { verifyLoad } from '../harness/verify-load.ts';

// The proxy stands for the address that follows the primary: HAProxy, a floating address, a DNS
// name.

const primary = await startCluster();
await migrate(primary.url);
const standby = await startCluster({ standbyOf: primary.dataDir });
await primary.set('synchronous_standby_names', STANDBY);
const proxy = await startProxy(primary.url);
const harness = await startHarness({ databaseUrl: proxy.url });
after(async () => {
  await proxy.close();
  await Promise.all([standby.stop(), primary.stop()]);
});

const isSynchronous = async () =>
  (await primary.ask('select sync_state from pg_stat_replication'))[0]?.sync_state === 'sync';

test('the primary dies under load and its synchronous standby takes over: no acknowledged write is lost', async (t) => {
  const { fixtures, request } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = `/api/organizations/${workspace}/teams/${await fixtures.team(workspace)}`;
  for (let i = 0; !(await isSynchronous()); i++) {
    assert.ok(i < 200, 'the standby does not follow');
    await pause(50);
  }
  const load = await startLoad(harness);
  await pause(1_000);
  const died = Date.now();
  await primary.kill();

  // The address leads to the standby before it is the primary: it is read there, and a write is
  // refused.
  proxy.lead(standby.url);
  await pause(200);
  const { status } = await request('GET', `/api/organizations/${workspace}/invitations`, {
    key: owner.key,
  });
  assert.equal(status, 200);
  const refused = await request('PUT', team, { key: owner.key, body: { name: 'Too early' } });
  assert.deepEqual([refused.status, refused.body.code], [503, 'database_unavailable']);

  await standby.ask('select pg_promote()');
  const promoted = Date.now() - died;
  const recovered = await load.recovery();
  await load.stop();
  const said = await verifyLoad(harness, load);
  t.diagnostic(
    `${said}; ${promoted} ms until the standby was promoted, ${recovered} ms more until all worked`,
  );
  assert.equal(
    (await request('PUT', team, { key: owner.key, body: { name: 'In time' } })).status,
    200,
  );
});
