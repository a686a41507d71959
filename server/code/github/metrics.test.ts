import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { appOf, startGithub } from '../../testing/fixtures/code/github.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { openGitHub } from './app.ts';
import { measureGitHub, measureGitHubWork } from './metrics.ts';

const fake = await startGithub();
const { db, metrics } = await startHarness({ own: true });
const observer = measureGitHub(metrics);
measureGitHubWork(metrics, db);

const value = async (name: string, labels = '') =>
  (await seriesOf(metrics, `guildhall_github_${name}`))[labels];

test('calls count by their result, and say what is left of the limit', async () => {
  assert.equal(measureGitHub(metrics), observer, 'once for a registry');
  const github = openGitHub(appOf(fake), { observer });
  await github.app.request('GET /app');
  assert.equal(await value('calls_total', '{result="done"}'), 1);
  const missing = { installation_id: 404_404 };
  await assert.rejects(github.app.request('GET /app/installations/{installation_id}', missing));
  assert.equal(await value('calls_total', '{result="github_refused"}'), 1);
  const shop = await fake.addRepository('acme/shop');
  const acme = fake.install('acme', { repositories: [shop] });
  await github
    .as({ installationId: acme.id, permissions: {} })
    .request('GET /installation/repositories');
  const left = await value('limit_remaining', `{installation="${acme.id}"}`);
  assert.ok(left !== undefined && left > 0, `${left}`);
});

test('what is open, limited and not looked at is counted in the database', async () => {
  const figures = () =>
    Promise.all(
      ['deliveries_open', 'delivery_oldest_open_seconds', 'limited_installations'].map((name) =>
        value(name),
      ),
    );
  assert.deepEqual(await figures(), [0, 0, 0]);
  assert.equal(await value('look_oldest_seconds'), 0);
  await db.many(sql`
    insert into github_delivery (id, event, received_at)
    values (gen_random_uuid(), 'ping', now() - interval '1 hour')`);
  await db.many(sql`
    insert into github_rate_limit (installation_id, until) values (7, now() + interval '1 hour')`);
  const [open, age = 0, limited] = await figures();
  assert.deepEqual([open, limited], [1, 1]);
  assert.ok(age >= 3_600 && age < 7_200, `${age}`);
});
