import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { genericPlan, type Sent, watchStatements } from '../database/statements.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { probe } from '../harness/probe.ts';
import { makeTenant, requestSample, successOf } from './tenant.ts';

// What an operation costs is round trips. An operation that is one statement takes one, once its
// key is known. These take more: a change that makes one grow fails here, and one that makes it
// shrink lowers the figure.
const ROUND_TRIPS: Record<string, number> = {
  update_spend_limits: 9,
  update_workspace_spend_limits: 9,
  update_member: 7,
  remove_member: 10,
  leave_workspace: 9,
  export_audit_events: 4,
  export_transactions: 4,
  export_workspace_transactions: 4,
  export_usage: 6,
  export_workspace_usage: 6,
  export_project_usage: 6,
  export_task_usage: 6,
  export_workspace: 30,
  transfer_ownership: 10,
  delete_workspace: 21,
  revise_plan: 10,
  request_plan_changes: 7,
  reject_plan: 6,
  create_plan_comment: 5,
  create_role: 6,
  update_role: 5,
  delete_role: 7,
  create_invitation: 8,
  accept_invitation: 7,
  create_project_invitation: 8,
  add_funds: 20,
  add_workspace_funds: 20,
  set_up_payment_method: 17,
  complete_card_setup: 12,
  begin_top_up: 21,
  begin_workspace_top_up: 21,
  complete_top_up: 15,
  cancel_top_up: 11,
  delete_payment_method: 6,
  share_payment_method: 8,
  unshare_payment_method: 8,
  // Who asks, the event log, and the task.
  get_task: 3,
  // Of a server with a GitHub App; without one, three and one less.
  open_pull_request: 16,
  set_task_merge_target: 7,
  merge_task: 9,
  fix_checks: 6,
  send_diff_comments: 6,
  delete_task: 8,
  delete_message: 7,
  cancel_task: 10,
  start_pod: 8,
  stop_pod: 8,
  start_odoo_instance: 8,
  stop_odoo_instance: 6,
  resume_task: 11,
  create_attachment: 10,
  create_project_attachment: 10,
  create_odoo_connection: 5,
  update_odoo_connection: 5,
  probe_odoo_connection: 6,
  attach_repository: 4,
  import_repository: 5,
  cancel_repository_import: 4,
  detach_repository: 4,
  set_merge_targets: 4,
  set_network: 5,
  set_variable: 4,
  set_environment: 4,
  delete_project: 11,
  transfer_project: 13,
  claim_project: 8,
  set_person_role: 7,
  remove_person: 6,
  // Before each call to GitHub its limits are looked up: for a token, and with it.
  list_github_repositories: 3,
  list_github_branches: 5,
  list_task_events: 3,
  // Only who asks; then the ERP server is asked.
  probe_odoo_url: 1,
  probe_odoo_login: 1,
  update_auto_reload: 8,
  update_workspace_auto_reload: 8,
};

const harness = await startHarness({ github: await startGithub() });
const { request, routes, databaseUrl } = harness;

let log: Sent[] = [];
const seen = new Map<string, Sent>();
watchStatements((sent) => {
  log.push(sent);
  seen.set(sent.text, sent);
});

for (const route of routes) {
  const trips =
    ROUND_TRIPS[route.operationId] ?? ((await probe(route)) === undefined ? undefined : 1);
  test(`${route.operationId}: ${trips} ${trips === 1 ? 'round trip' : 'round trips'}, each a named statement`, async () => {
    assert.ok(trips, 'add it to ROUND_TRIPS');
    const tenant = await makeTenant(harness);
    await request('GET', '/api/billing/balance', { key: tenant.caller.key });
    log = [];
    const reply = await requestSample(harness, route, tenant);
    // When keys were used is written now and then, beside whatever request is on its way.
    const counted = log.filter(({ text }) => !text.includes('set last_used_at = noted.at'));
    assert.equal(reply.status, successOf(route), reply.text);
    assert.equal(counted.length, trips, counted.map(({ text }) => text).join('\n---\n'));
    for (const { name, text } of counted)
      assert.ok(name !== undefined || /^(begin|commit|rollback)\b/.test(text), text);
    // The statement of a page is another than that of the whole list.
    if (route.query?.properties.limit !== undefined)
      await requestSample(harness, route, tenant, { query: { limit: '2' } });
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
      const select = text.replace(/^declare \w+ no scroll cursor for/, '');
      if (name === undefined || /^(fetch|close) /.test(text)) continue;
      const plan = await genericPlan(client, select);
      // The table of the billing mode has one row.
      for (const [, table] of plan.matchAll(/Seq Scan on (?!billing_mode\b)(\w+)/g))
        scans.push(`${table}: ${text}\n${plan}`);
    }
    assert.ok(seen.size > 20);
    assert.deepEqual(scans, []);
  } finally {
    await client.end();
  }
});
