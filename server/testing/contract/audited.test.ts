import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { idsIn, idsOf, makeTenant, requestSample } from './tenant.ts';

// Where refused attempts stand in the audit trail. What is done: every-operation.test.ts.

interface Row {
  action: string;
  outcome: string;
  code: string | null;
  actor_user_id: string | null;
  target_id: string | null;
  organization_id: string | null;
  project_id: string | null;
}

const harness = await startHarness({ github: await startGithub() });
const { db, routes } = harness;

const rowsOf = (requestId: string): Promise<Row[]> =>
  db.many<Row>(sql`
    select action, outcome, code, actor_user_id, target_id, organization_id, project_id
      from audit_event where request_id = ${requestId} order by occurred_at`);

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
    ({ auditDenied, path }) => auditDenied !== undefined && /\{(org|project|task)_id\}/.test(path),
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
    // What the path ends in, but for a card, whose id is none here; or who leaves.
    const named = idsIn(route.path).findLast((name) => name !== 'payment_method_id') as string;
    const isLeave = route.operationId === 'leave_workspace';
    const target_id = isLeave ? tenant.caller.id : idsOf(route, tenant)[named];
    assert.deepEqual(
      rows.map(({ project_id: _, ...row }) => row),
      [
        {
          action: route.auditDenied?.action,
          outcome: 'refused',
          code: 'forbidden',
          actor_user_id: tenant.caller.id,
          target_id,
          organization_id: workspace,
        },
      ],
    );
  }
});
