import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { idsOf, makeTenant, requestSample, successOf, type Tenant } from './tenant.ts';

// Every change leaves its row in the audit trail (ruling 1.17), and a read leaves none.

/** Changes that leave no row, each with its reason. */
const UNRECORDED: Record<string, string> = {
  complete_top_up: 'the credit is recorded as the change of the request that began the charge',
  probe_odoo_url: 'it changes nothing, here or there',
  probe_odoo_login: 'it changes nothing, here or there',
  set_aside_task: 'it changes what the person sees of their own inbox alone',
  bring_back_task: 'it changes what the person sees of their own inbox alone',
};

/** Reads that leave a row, each with its reason. */
const RECORDED_READS: Record<string, string> = {
  export_workspace: 'a copy of everything has left the server',
};

/** What no row may contain: keys, tokens, links, and whatever else opens something. */
const SECRETS = [
  /gld_/,
  /https?:/,
  /[?&]token=/,
  /"(?:\w+_)?(?:token|secret|password|link|key)"/i,
  /pm_card_/,
  /a secret for tests/,
];

interface Row {
  action: string;
  outcome: string;
  actor_user_id: string | null;
  key_id: string | null;
  organization_id: string | null;
  project_id: string | null;
  text: string;
}

const harness = await startHarness({ github: await startGithub() });
const { db, routes } = harness;

const rowsOf = (requestId: string): Promise<Row[]> =>
  db.many<Row>(sql`
    select action, outcome, actor_user_id, key_id, organization_id, project_id,
           to_jsonb(e)::text as text
      from audit_event e where request_id = ${requestId} order by occurred_at`);

/** The rows of an operation's sample, sent in `tenant`. */
async function perform(route: Route, tenant: Tenant): Promise<Row[]> {
  const requestId = `audit-walk-${route.operationId}`;
  const reply = await requestSample(harness, route, tenant, {
    headers: { 'x-request-id': requestId },
  });
  assert.equal(reply.status, successOf(route), reply.text);
  return rowsOf(requestId);
}

for (const route of routes.filter(({ method }) => method !== 'GET')) {
  const reason = UNRECORDED[route.operationId];
  if (reason !== undefined) {
    test(`${route.operationId} leaves no audit row: ${reason}`, async () => {
      assert.deepEqual(await perform(route, await makeTenant(harness)), []);
    });
    continue;
  }
  test(`${route.operationId} leaves who did it, where, and no secret`, async () => {
    const tenant = await makeTenant(harness);
    const rows = await perform(route, tenant);
    assert.ok(rows.length > 0, 'no audit row with the id of the request');
    for (const { outcome, actor_user_id, key_id, text } of rows) {
      assert.deepEqual([outcome, actor_user_id], ['done', tenant.caller.id], text);
      assert.ok(key_id, text);
      for (const secret of [...SECRETS, tenant.caller.key.slice(4)]) assert.ok(!text.match(secret));
    }
    const { org_id, project_id } = idsOf(route, tenant);
    if (/\{(org|team|project|task)_id\}/.test(route.path)) {
      assert.ok(
        rows.some(({ organization_id }) => organization_id === org_id),
        `no row says the workspace: ${rows[0]?.text}`,
      );
    }
    if (/\{(project|task)_id\}/.test(route.path)) {
      assert.ok(
        rows.some((row) => row.project_id === project_id),
        `no row says the project: ${rows[0]?.text}`,
      );
    }
  });
}

for (const route of routes.filter(({ method }) => method === 'GET')) {
  const reason = RECORDED_READS[route.operationId];
  test(`${route.operationId} leaves ${reason === undefined ? 'no audit row' : `a row: ${reason}`}`, async () => {
    const tenant = await makeTenant(harness);
    const rows = await perform(route, tenant);
    assert.deepEqual(
      rows.map(({ outcome, organization_id }) => [outcome, organization_id]),
      reason === undefined ? [] : [['done', tenant.ids.org_id]],
    );
  });
}

test('the exceptions name operations that exist', () => {
  const known = routes.map(({ operationId }) => operationId);
  for (const name of [...Object.keys(UNRECORDED), ...Object.keys(RECORDED_READS)])
    assert.ok(known.includes(name), name);
});

test('a refused attempt on what is the caller’s own is recorded in no workspace', async () => {
  const tenant = await makeTenant(harness);
  const { card } = await makeTenant(harness);
  const addFunds = routes.find(({ operationId }) => operationId === 'add_funds') as Route;
  const reply = await requestSample(harness, addFunds, tenant, {
    body: { payment_method_id: card },
    headers: { 'x-request-id': 'refused-of-own' },
  });
  assert.equal(reply.status, 403, reply.text);
  const [row, ...more] = await rowsOf('refused-of-own');
  assert.deepEqual(
    [row?.outcome, row?.organization_id, row?.project_id, more],
    ['refused', null, null, []],
  );
});

test('a refused attempt is recorded in the workspace it was made on, whoever made it', async () => {
  const tenant = await makeTenant(harness, 'stranger');
  const audited = routes.filter(
    ({ auditDenied, path }) => auditDenied !== undefined && /\{(org|project)_id\}/.test(path),
  );
  assert.ok(audited.length >= 3);
  for (const route of audited) {
    const requestId = `refused-${route.operationId}`;
    const reply = await requestSample(harness, route, tenant, {
      headers: { 'x-request-id': requestId },
    });
    assert.equal(reply.status, 403, route.operationId);
    const rows = await rowsOf(requestId);
    // The object's own workspace, which is none for a project that can be claimed.
    const { ids } = tenant;
    const { org_id } = /\{org_id\}/.test(route.path) ? idsOf(route, tenant) : ids;
    const workspace = route.operationId === 'claim_project' ? null : org_id;
    assert.deepEqual(
      rows.map((row) => [row.action, row.outcome, row.actor_user_id, row.organization_id]),
      [[route.auditDenied?.action, 'refused', tenant.caller.id, workspace]],
    );
  }
});
