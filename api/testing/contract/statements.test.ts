import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { type Call, startHarness } from '../harness.ts';
import { genericPlan, type Sent, watchStatements } from '../statements.ts';

// What an operation costs is round trips. These are what its success takes once its key is known; a change that makes
// one grow fails here, and one that makes it shrink lowers the figure.

const { request, fixtures, routes, databaseUrl } = await startHarness();
const owner = await fixtures.user();
const heir = await fixtures.user();
const card = await fixtures.card(owner);
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, heir, 'admin');
await fixtures.invitation(workspace, { by: owner });
const team = await fixtures.team(workspace);
const project = await fixtures.project({ organizationId: workspace });
const task = await fixtures.task(project, owner);
await fixtures.revision(task);

let log: Sent[] = [];
const seen = new Map<string, Sent>();
watchStatements((sent) => {
  log.push(sent);
  seen.set(sent.text, sent);
});

const reload = {
  enabled: true,
  threshold: '5.00',
  amount: '25.00',
  monthly_cap: '100.00',
  payment_method_id: card,
};
/** `each` makes what one request needs and says how it is asked: it is asked twice, and the second time counts. */
const OPERATIONS: Record<
  string,
  { trips: number; each: (n: number) => Promise<[method: string, path: string, request?: Call]> }
> = {
  list_project_people: { trips: 1, each: async () => ['GET', `/api/projects/${project}/people`] },
  list_pending_invitations: {
    trips: 1,
    each: async () => ['GET', `/api/organizations/${workspace}/invitations`],
  },
  approve_plan: {
    trips: 1,
    each: async () => {
      await fixtures.revision(task);
      return ['POST', `/api/tasks/${task}/plan/approve`];
    },
  },
  update_team: {
    trips: 1,
    each: async (n) => [
      'PUT',
      `/api/organizations/${workspace}/teams/${team}`,
      { body: { name: `Name ${n}` } },
    ],
  },
  list_teams: { trips: 1, each: async () => ['GET', `/api/organizations/${workspace}/teams`] },
  get_team: {
    trips: 1,
    each: async () => ['GET', `/api/organizations/${workspace}/teams/${team}`],
  },
  create_team: {
    trips: 1,
    each: async (n) => [
      'POST',
      `/api/organizations/${workspace}/teams`,
      { body: { name: `New ${n}` } },
    ],
  },
  delete_team: {
    trips: 1,
    each: async () => [
      'DELETE',
      `/api/organizations/${workspace}/teams/${await fixtures.team(workspace)}`,
    ],
  },
  transfer_ownership: {
    trips: 9,
    each: async () => {
      const ws = await fixtures.workspace(owner);
      await fixtures.member(ws, heir, 'admin');
      return [
        'POST',
        `/api/organizations/${ws}/transfer-ownership`,
        { body: { new_owner_user_id: heir.id } },
      ];
    },
  },
  delete_workspace: {
    trips: 16,
    each: async () => ['DELETE', `/api/organizations/${await fixtures.workspace(owner)}`],
  },
  add_funds: {
    trips: 19,
    each: async (n) => [
      'POST',
      '/api/billing/add-funds',
      { body: { amount: 5 + n, payment_method_id: card } },
    ],
  },
  add_workspace_funds: {
    trips: 19,
    each: async (n) => [
      'POST',
      `/api/organizations/${workspace}/billing/add-funds`,
      { body: { amount: 5 + n, payment_method_id: card } },
    ],
  },
  get_balance: { trips: 1, each: async () => ['GET', '/api/billing/balance'] },
  get_workspace_balance: {
    trips: 1,
    each: async () => ['GET', `/api/organizations/${workspace}/billing/balance`],
  },
  list_payment_methods: { trips: 1, each: async () => ['GET', '/api/billing/payment-methods'] },
  list_transactions: { trips: 1, each: async () => ['GET', '/api/billing/transactions?limit=2'] },
  get_auto_reload: { trips: 1, each: async () => ['GET', '/api/billing/auto-reload'] },
  update_auto_reload: {
    trips: 5,
    each: async () => ['PUT', '/api/billing/auto-reload', { body: reload }],
  },
  get_workspace_auto_reload: {
    trips: 1,
    each: async () => ['GET', `/api/organizations/${workspace}/billing/auto-reload`],
  },
  update_workspace_auto_reload: {
    trips: 5,
    each: async () => [
      'PUT',
      `/api/organizations/${workspace}/billing/auto-reload`,
      { body: reload },
    ],
  },
};

test('every operation of the route table is counted here', () => {
  assert.deepEqual(
    routes.map(({ operationId }) => operationId).sort(),
    Object.keys(OPERATIONS).sort(),
  );
});

for (const [name, { trips, each }] of Object.entries(OPERATIONS)) {
  test(`${name}: ${trips} ${trips === 1 ? 'round trip' : 'round trips'}, each a named statement`, async () => {
    let counted: Sent[] = [];
    for (const n of [0, 1]) {
      const [method, path, options] = await each(n);
      log = [];
      const reply = await request(method, path, { key: owner.key, ...options });
      counted = log;
      assert.ok(reply.status < 300, reply.text);
    }
    assert.equal(counted.length, trips, counted.map(({ text }) => text).join('\n---\n'));
    for (const { name, text } of counted)
      assert.ok(name !== undefined || /^(begin|commit)$/.test(text), text);
  });
}

// With scans made dear, a plan still has one only where no index can answer.
test('no statement of any operation scans a table that grows', async () => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    const scans: string[] = [];
    for (const { text, name } of seen.values()) {
      if (name === undefined) continue;
      const plan = await genericPlan(client, text);
      for (const [, table] of plan.matchAll(/Seq Scan on (\w+)/g))
        scans.push(`${table}: ${text}\n${plan}`);
    }
    assert.ok(seen.size > 20);
    assert.deepEqual(scans, []);
  } finally {
    await client.end();
  }
});
