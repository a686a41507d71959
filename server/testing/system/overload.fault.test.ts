import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../db/database/database.ts';
import { cloneDatabase } from '../database/database.ts';
import { startFakeStripe } from '../fakes/fake-stripe/server.ts';
import { fixturesOn } from '../fixtures/tenants.ts';
import { serve } from '../harness/serve.ts';
import { attacks, type Targets } from '../overload/attacks.ts';
import { type Ask, type Outcome, startHonest } from '../overload/honest.ts';
import { startHostile } from '../overload/hostile.ts';

// Hundreds of hostile sockets of each kind against a server with default settings, while an honest
// caller, who has the same address as all of them, goes on working.

const SOCKETS = 600;
const EACH_MS = 4_500;
/** The honest caller's own connections and files that happen to be open. */
const FEW = 10;

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const fake = await startFakeStripe({ webhookSecret: 'whsec_of_this_test' });
const server = await serve({
  DATABASE_URL: clone.url,
  STRIPE_SECRET_KEY: fake.secretKey,
  STRIPE_API_BASE: fake.url,
  STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test',
  RATE_LIMIT_PER_MINUTE: '',
  RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '',
});
const port = Number(new URL(server.url).port);
const hostile = startHostile();
after(async () => {
  server.child.kill('SIGKILL');
  await hostile.end();
  await fake.close();
  await db.close();
  await clone.drop();
});

/** What one user asks in turn, and what of theirs is attacked. */
async function makeUser(): Promise<{ asks: Ask[]; targets: Targets }> {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  const update = `/api/organizations/${workspace}/teams/${team}`;
  const requests: Omit<Ask, 'key'>[] = [
    { method: 'GET', path: `/api/projects/${project}/people` },
    { method: 'PUT', path: update, body: { name: 'Overloaded' } },
    { method: 'GET', path: '/api/billing/balance' },
    { method: 'POST', path: `/api/tasks/${task}/plan/approve` },
  ];
  return {
    asks: requests.map((request) => ({ ...request, key: owner.key })),
    targets: { workspace, team, task },
  };
}

// Three, so that each of them stays within the limit of a user.
const users = [await makeUser(), await makeUser(), await makeUser()];
const kinds = attacks((users[0] as (typeof users)[number]).targets);

/**
 * How many files and sockets the server has open; only its connections where the system does not
 * count the others.
 */
async function descriptors(): Promise<number> {
  const text = await (await fetch(server.metrics)).text();
  const figure = (name: string) => new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1];
  return Number(figure('process_open_fds') ?? figure('guildhall_http_connections'));
}

test('every request of an honest caller is answered during each attack, and no socket of it is left', async (t) => {
  const honest = startHonest(
    server.url,
    users.flatMap(({ asks }) => asks),
  );
  await pause(1_000);
  const before = await descriptors();
  const begun: [string, number][] = [];
  for (const [name, attack] of Object.entries(kinds)) {
    begun.push([name, performance.now()]);
    hostile.attack(port, attack, SOCKETS);
    await pause(EACH_MS);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200, name);
  }
  hostile.stop();
  // The sockets of the attackers stay open on their side.
  const stopped = performance.now();
  while ((await descriptors()) > before + FEW && performance.now() - stopped < 20_000)
    await pause(200);
  t.diagnostic(`gone after ${Math.round(performance.now() - stopped)} ms`);
  begun.push(['afterwards', stopped]);

  const outcomes = await honest.stop();
  const unserved = outcomes.filter(({ status }) => status !== 200);
  const waves = begun.map(([name, from], i) => {
    const until = begun[i + 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return { name, during: outcomes.filter(({ at }) => at >= from && at < until) };
  });
  for (const { name, during } of waves) t.diagnostic(`${name}: ${summary(during)}`);
  assert.deepEqual(
    unserved.map(({ status, ask, ms }) => `${status} after ${Math.round(ms)} ms: ${ask.path}`),
    [],
  );
  for (const { name, during } of waves) {
    assert.ok(percentile(during, 0.5) < 1_000, `half of the answers during: ${name}`);
    assert.ok(percentile(during, 1) < 10_000, `the slowest answer during: ${name}`);
  }
  assert.ok((await descriptors()) <= before + FEW);
});

test('a server under attack ends within three seconds', async (t) => {
  const openings = Object.values(kinds).flatMap((attack) => attack.openings);
  hostile.attack(port, { openings, deaf: true }, SOCKETS);
  await pause(3_000);
  const signalled = performance.now();
  server.child.kill('SIGTERM');
  const [code] = await once(server.child, 'exit');
  const took = Math.round(performance.now() - signalled);
  t.diagnostic(`ended within ${took} ms`);
  assert.equal(code, 0);
  assert.ok(took < 3_000, `${took} ms`);
});

function percentile(outcomes: Outcome[], share: number): number {
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

function summary(outcomes: Outcome[]): string {
  const [half, most, all] = [0.5, 0.99, 1].map((share) => Math.round(percentile(outcomes, share)));
  return `${outcomes.length} requests; p50 ${half} ms, p99 ${most} ms, longest ${all} ms`;
}
