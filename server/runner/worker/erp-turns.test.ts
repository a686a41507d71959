import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { targetsOf } from '../../erp/gateway/targets.ts';
import { openOutgoing } from '../../platform/outgoing/outgoing.ts';
import { startFakeOdoo } from '../../testing/fakes/fake-odoo/server.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { AgentCommand } from '../agents/agent.ts';

/** Turns whose agent, which has no model, uses the connections that are active in its task. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const odoo = await startFakeOdoo();
after(odoo.close);

const folder = join(import.meta.dirname, '../../testing/fakes');
const agent: AgentCommand = {
  id: 'erp-agent',
  command: 'node',
  args: [join(folder, 'erp-agent.ts')],
  env: {},
  readable: [folder],
};
const faults: string[] = [];
const outgoing = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });
const onFault = (sentence: string) => faults.push(sentence);
const secrets = { current: SERVER_SECRET };
const tasks = await agentsAtWork(harness, {
  agentOf: () => ({
    agent,
    provider: undefined,
    modelId: 'm',
    model: 'm',
    sessionModel: undefined,
    costOf: () => 0n,
  }),
  erpTargets: targetsOf(db, { outgoing, secrets, onFault }),
});
const CALLS = JSON.stringify([
  ['res.partner', 'search_count', { domain: [] }],
  ['res.partner', 'create', { vals_list: [{ name: 'Made by an agent' }] }],
]);

async function taskWith(options: Parameters<typeof fixtures.odooConnection>[1] = {}) {
  const task = await tasks.task({ balance: '10.00' });
  const { project } = await db.one<{ project: string }>(sql`
    select project_id as project from task where id = ${task.id}`);
  const connection = await fixtures.odooConnection(project, {
    name: 'Shop',
    url: odoo.url,
    database: 'main',
    login: 'admin',
    version: '19.0',
    secret: odoo.key('admin'),
    ...options,
  });
  await fixtures.odooActive(task.id, connection);
  return { ...task, connection };
}
const callsOf = async (id: string) =>
  (await tasks.eventsOf(id))
    .filter(({ type }) => type === 'erp_call')
    .map(({ type, ...call }) => call);

test('an agent without a model reaches the connection of its task, and only reads while it plans', async () => {
  const { id, connection } = await taskWith({ agentAccess: 'write' });
  tasks.work();
  await tasks.queue(id, 'plan', CALLS);
  await tasks.untilStatus(id, 'awaiting_approval');
  const plan = await tasks.planOf(id);
  assert.match(plan, /^200 \d+$/m);
  assert.match(plan, /^403 .*may only read here/m);
  assert.match(plan, /"url":"http:\/\/127\.0\.0\.1:\d+\//);
  assert.ok(!plan.includes(odoo.key('admin')) && plan.includes('planted: false'));
  const calls = await callsOf(id);
  assert.deepEqual(
    calls.map(({ ms, ...call }) => call),
    [['search_count', true, 200] as const, ['create', false, 403] as const].map(
      ([method, allowed, status]) => ({
        target: { id: connection, name: 'Shop' },
        kind: 'connection',
        model: 'res.partner',
        method,
        allowed,
        status,
      }),
    ),
  );
  // Neither the secret nor what was sent is in anything that was stored.
  const stored = JSON.stringify(await tasks.eventsOf(id));
  assert.ok(!stored.includes(odoo.key('admin')));
});

test('what is deactivated while the agent works is refused at its next call', async () => {
  const { id, connection } = await taskWith();
  odoo.behave({ slow: 300 });
  const many = JSON.stringify(
    Array.from({ length: 20 }, () => ['res.partner', 'search_count', { domain: [] }]),
  );
  tasks.work();
  await tasks.queue(id, 'plan', many);
  await until('a call is noted', async () => (await callsOf(id)).length > 0);
  await db.many(sql`delete from task_odoo_connection where connection_id = ${connection}`);
  await tasks.untilStatus(id, 'awaiting_approval');
  odoo.behave({ slow: 0 });
  const statuses = (await callsOf(id)).map(({ status }) => status);
  assert.ok(statuses.includes(200) && statuses.at(-1) === 403, statuses.join());
  const first = statuses.indexOf(403);
  assert.ok(
    statuses.slice(first).every((status) => status === 403),
    statuses.join(),
  );
});

test('a secret that this worker cannot open leaves the turn without the connection, and says so once', async () => {
  const { id } = await taskWith({
    serverSecret: 'another secret of servers, which is long enough',
  });
  tasks.work();
  await tasks.queue(id, 'plan', 'Nothing to call.');
  await tasks.untilStatus(id, 'awaiting_approval');
  assert.match(await tasks.planOf(id), /^ERP: \[\]$/m);
  assert.match(faults.join(), /SERVER_SECRET_PREVIOUS/);
});
