import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { sql } from '../../db/sql.ts';
import { measureWebhooks } from '../../platform/webhooks/metrics.ts';
import { senderOn, startReceiver } from '../../testing/fixtures/webhooks.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Webhooks of workspaces and projects: who manages them, and what arrives at a receiver. */

const harness = await startHarness({ own: true, env: { WEBHOOK_ALLOW_HTTP: 'true' } });
const { db, fixtures, metrics, request, unchanged, log } = harness;
const sender = senderOn(harness);
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const newProject = () => fixtures.project({ organizationId: workspace });

const call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  key?: string,
) =>
  request(method, path, {
    key: key ?? owner.key,
    ...(method === 'GET' ? {} : { body: body ?? {} }),
  });
const add = async (place: string, body: object) => {
  const reply = await call('POST', `/api/${place}/webhooks`, { name: 'Hook', ...body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body as { id: string; secret: string; url: string };
};
const of = (project: string) => `projects/${project}`;
const deliveries = async (id: string) =>
  (await call('GET', `/api/webhooks/${id}/deliveries`)).body as Record<string, unknown>[];
const comeDue = (id: string) =>
  db.many(sql`
    with d as (update webhook_delivery set next_attempt_at = now()
                where endpoint_id = ${id} and state = 'waiting')
    update webhook_queue set next_at = now() where endpoint_id = ${id}`);

test('what happens to a task arrives signed, in order, and is verified by the published package', async () => {
  const receiver = await startReceiver();
  const project = await newProject();
  const types = ['task.created', 'task.plan_waiting', 'task.ready', 'task.paused', 'task.failed'];
  const { secret, id } = await add(of(project), {
    url: `${receiver.url}/hook?token=abc`,
    event_types: types,
  });
  const task = await fixtures.task(project, owner);
  for (const status of ['awaiting_approval', 'paused', 'failed'] as const)
    await fixtures.taskStatus(task, status);
  await sender.round();
  assert.deepEqual(
    receiver.messages.map(({ type, data }) => [type, data.task_id, data.status, data.reason]),
    [
      ['task.created', task, 'ready', undefined],
      ['task.plan_waiting', task, 'awaiting_approval', undefined],
      ['task.paused', task, 'paused', 'insufficient_funds'],
      ['task.failed', task, 'failed', undefined],
    ],
  );
  for (const { headers, text, path, data } of receiver.messages) {
    const verified = new Webhook(secret).verify(text, headers as Record<string, string>);
    assert.deepEqual(verified, JSON.parse(text));
    assert.deepEqual(
      [path, data.project_id, data.organization_id],
      ['/hook?token=abc', project, workspace],
    );
    assert.throws(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>));
  }
  const log = await deliveries(id);
  assert.deepEqual(
    log.map(({ state, status, answer, attempts }) => [state, status, answer, attempts]),
    Array(4).fill(['delivered', 200, 'taken', 1]),
  );
  await unchanged(() => sender.round());
});

test('a workspace hears of all its projects, a project of itself alone, and nobody of what they did not choose', async () => {
  const receiver = await startReceiver();
  const [mine, other] = [await newProject(), await newProject()];
  const stranger = await fixtures.workspace(await fixtures.user());
  const elsewhere = await fixtures.project({ organizationId: stranger });
  const event_types = ['task.created'];
  await add(`organizations/${workspace}`, { url: `${receiver.url}/workspace`, event_types });
  await add(of(mine), { url: `${receiver.url}/project`, event_types });
  for (const project of [mine, other, elsewhere])
    await fixtures.taskStatus(await fixtures.task(project, owner), 'ready');
  await sender.round();
  assert.deepEqual(
    receiver.messages.map(({ path, data }) => `${path} ${data.project_id}`).sort(),
    [`/project ${mine}`, `/workspace ${mine}`, `/workspace ${other}`].sort(),
  );
});

test('requests of agents, failed checks, merges, deploys, members and invitations are told', async () => {
  const receiver = await startReceiver();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const event_types = [
    'task.question_asked',
    'task.checks_failed',
    'task.merged',
    'deploy.succeeded',
    'member.added',
    'member.removed',
    'invitation.created',
  ];
  await add(`organizations/${workspace}`, { url: receiver.url, event_types });
  const task = await fixtures.task(project, owner);
  await fixtures.request(task);
  await fixtures.pullRequest(task, owner);
  await fixtures.check(task, 'failure');
  await fixtures.merge(task, owner);
  const deploy = await fixtures.deploy(task);
  await db.many(sql`
    update deploy set state = 'success', ended_at = now() where id = ${deploy} and ended_at is null`);
  const member = await fixtures.user();
  await fixtures.member(workspace, member);
  await call('DELETE', `/api/organizations/${workspace}/members/${member.id}`);
  await fixtures.invitation(workspace, { by: owner });
  await sender.round();
  assert.deepEqual(
    [...new Set(receiver.messages.map(({ type }) => type))].sort(),
    event_types.sort(),
  );
  for (const { text } of receiver.messages) assert.ok(!text.includes('@'), text);
});

test('the money of a workspace: a balance that falls below 5.00, once, and its top-ups', async () => {
  const receiver = await startReceiver();
  const workspace = await fixtures.workspace(owner, { balance: '6.00' });
  const event_types = ['balance.low', 'top_up.succeeded', 'top_up.failed'];
  await add(`organizations/${workspace}`, { url: receiver.url, event_types });
  for (const usd of ['-0.99', '-0.02', '-1.00'])
    await fixtures.fund({ organizationId: workspace }, usd);
  // That of a person alone is no event of a workspace.
  await fixtures.fund({ userId: owner.id }, '6.00');
  await fixtures.fund({ userId: owner.id }, '-2.00');
  for (const token of ['pm_card_visa', 'pm_card_chargeDeclined']) {
    const body = { amount: '10.00', payment_method_id: await fixtures.card(owner, token) };
    await call('POST', `/api/organizations/${workspace}/billing/add-funds`, body);
  }
  await sender.round();
  assert.deepEqual(
    receiver.messages.map(({ type, data }) => [type, data.threshold, data.automatic]),
    [
      ['balance.low', '5.00', undefined],
      ['top_up.succeeded', undefined, false],
      ['top_up.failed', undefined, false],
    ],
  );
});

test('nothing is sent of what was undone', async () => {
  const receiver = await startReceiver();
  const project = await newProject();
  await add(of(project), { url: receiver.url, event_types: ['task.ready', 'task.cancelled'] });
  const task = await fixtures.task(project, owner);
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.many(sql`update task set status = 'cancelled' where id = ${task}`);
      throw new Error('undone');
    }),
  );
  await sender.round();
  assert.deepEqual(receiver.messages, []);
});

test('a failed delivery is tried again with the same id; later ones of its task wait, others do not', async () => {
  let broken = true;
  const project = await newProject();
  const [first, second] = [
    await fixtures.task(project, owner),
    await fixtures.task(project, owner),
  ];
  const receiver = await startReceiver(({ data }) =>
    broken && data.task_id === first ? 500 : 200,
  );
  const { id } = await add(of(project), {
    url: receiver.url,
    event_types: ['task.plan_waiting', 'task.paused', 'task.cancelled'],
  });
  for (const status of ['awaiting_approval', 'paused', 'cancelled'] as const)
    await fixtures.taskStatus(first, status);
  await sender.round();
  await fixtures.taskStatus(second, 'awaiting_approval');
  await sender.round();
  // It rests after a failure; then it takes the other task.
  await db.many(sql`update webhook_queue set next_at = now() where endpoint_id = ${id}`);
  await sender.round();
  assert.deepEqual(
    receiver.messages.map(({ type, data }) => [type, data.task_id]),
    [
      ['task.plan_waiting', first],
      ['task.plan_waiting', second],
    ],
  );
  broken = false;
  await comeDue(id);
  await sender.round();
  const [attempt, , again, ...rest] = receiver.messages;
  assert.equal(again?.id, attempt?.id);
  assert.equal(again?.text, attempt?.text);
  assert.deepEqual(
    rest.map(({ type }) => type),
    ['task.paused', 'task.cancelled'],
  );
});

test('after three days of failures it is switched off with one mail to each admin; switched on, it gets what waits', async () => {
  let status = 503;
  const receiver = await startReceiver(() => status);
  const project = await newProject();
  const admin = await fixtures.user();
  await fixtures.grant(project, admin, 'admin');
  const { id } = await add(of(project), { url: receiver.url, event_types: ['task.created'] });
  await fixtures.task(project, owner);
  await fixtures.task(project, owner);
  await sender.round();
  for (let attempt = 2; attempt <= 9; attempt += 1) {
    await db.many(sql`
      update webhook_delivery set next_attempt_at = now()
       where endpoint_id = ${id} and attempts > 0`);
    await db.many(sql`update webhook_queue set next_at = now() where endpoint_id = ${id}`);
    await sender.round();
  }
  const shown = async () => (await call('GET', `/api/webhooks/${id}`)).body;
  assert.equal((await shown()).enabled, true);
  await db.many(sql`
    update webhook_queue set next_at = now(), failing_since = now() - interval '73 hours'
     where endpoint_id = ${id}`);
  await db.many(sql`
    update webhook_delivery set next_attempt_at = now() where endpoint_id = ${id}`);
  await sender.round();
  const off = await shown();
  assert.deepEqual([off.enabled, off.disabled_reason], [false, 'failing']);
  const mails = await db.many<{ recipient: string }>(sql`
    select m.recipient from mail m join webhook_notice n on n.id = m.subject_id
     where m.kind = 'webhook_off' and n.endpoint_id = ${id}`);
  assert.deepEqual(
    mails.map(({ recipient }) => recipient).sort(),
    [owner.email, admin.email].sort(),
  );
  const before = receiver.messages.length;
  await fixtures.task(project, owner);
  await sender.round();
  assert.equal(receiver.messages.length, before);
  status = 200;
  const on = await call('PUT', `/api/webhooks/${id}`, { enabled: true });
  assert.deepEqual([on.status, on.body.enabled, on.body.disabled_reason], [200, true, undefined]);
  await sender.round();
  assert.ok(receiver.messages.length > before);
  const states = (await deliveries(id)).map(({ state }) => state);
  assert.ok(states.includes('delivered') && !states.includes('waiting'), String(states));
});

test('410 switches it off at once', async () => {
  const receiver = await startReceiver(() => 410);
  const project = await newProject();
  const { id } = await add(of(project), { url: receiver.url, event_types: ['task.created'] });
  await fixtures.task(project, owner);
  await sender.round();
  const { enabled, disabled_reason } = (await call('GET', `/api/webhooks/${id}`)).body;
  assert.deepEqual([enabled, disabled_reason, receiver.messages.length], [false, 'gone', 1]);
  await unchanged(async () => {
    const refused = await call('POST', `/api/webhooks/${id}/test`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_off']);
  });
});

test('a test is sent whatever it hears of, and a delivery again with the same id', async () => {
  const receiver = await startReceiver();
  const { id } = await add(of(await newProject()), {
    url: receiver.url,
    event_types: ['task.merged'],
  });
  const sent = await call('POST', `/api/webhooks/${id}/test`);
  assert.deepEqual([sent.status, sent.body.state], [201, 'waiting'], sent.text);
  await sender.round();
  const again = await call('POST', `/api/webhooks/${id}/deliveries/${sent.body.id}/resend`);
  assert.equal(again.status, 200, again.text);
  await sender.round();
  assert.deepEqual(
    receiver.messages.map(({ type, id }) => [type, id]),
    Array(2).fill(['webhook.test', sent.body.id]),
  );
});

test('both secrets sign for a day after one was replaced, and the old one no longer', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await add(of(await newProject()), {
    url: receiver.url,
    event_types: ['task.merged'],
  });
  const path = `/api/webhooks/${id}/rotate-secret`;
  const key = { key: owner.key, body: {}, headers: { 'idempotency-key': `rotate ${id}` } };
  const rotated = await request('POST', path, key);
  assert.equal((await request('POST', path, key)).text, rotated.text);
  assert.notEqual(rotated.body.secret, secret);
  const stored = await db.many<{ body: string }>(sql`
    select body::text from idempotency_key where body::text like ${`%${id}%`}`);
  assert.ok(stored.length > 0 && !JSON.stringify(stored).includes(rotated.body.secret));
  const verifies = async (by: string) => {
    await call('POST', `/api/webhooks/${id}/test`);
    await sender.round();
    const { text, headers } = receiver.messages.at(-1) ?? assert.fail();
    try {
      new Webhook(by).verify(text, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  assert.deepEqual([await verifies(secret), await verifies(rotated.body.secret)], [true, true]);
  await db.many(sql`update webhook_endpoint set overlap_until = now() where id = ${id}`);
  assert.deepEqual([await verifies(secret), await verifies(rotated.body.secret)], [false, true]);
});

test('Slack and Discord get one line with a link, and their address is shown without its path', async () => {
  const receiver = await startReceiver();
  const project = await newProject();
  const event_types = ['task.plan_waiting'];
  for (const kind of ['slack', 'discord']) {
    const made = await add(of(project), {
      kind,
      url: `${receiver.url}/services/T0/${kind}`,
      event_types,
    });
    assert.deepEqual([made.url, made.secret], [`${receiver.url}/…`, undefined]);
    const refused = await call('POST', `/api/webhooks/${made.id}/rotate-secret`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_unsigned']);
  }
  const task = await fixtures.task(project, owner);
  await fixtures.taskStatus(task, 'awaiting_approval');
  await sender.round();
  const page = `https://guildhall.example/projects/${project}/tasks/${task}`;
  const line = `The plan of a task waits for approval: ${page}`;
  assert.deepEqual(
    Object.fromEntries(receiver.messages.map(({ path, text }) => [path, JSON.parse(text)])),
    {
      '/services/T0/slack': { text: line },
      '/services/T0/discord': { content: line, allowed_mentions: { parse: [] } },
    },
  );
});

test('an audit webhook gets each row of the trail as it is written', async () => {
  const receiver = await startReceiver();
  const workspace = await fixtures.workspace(owner);
  const { secret } = await add(`organizations/${workspace}`, { kind: 'audit', url: receiver.url });
  await call('PUT', `/api/organizations/${workspace}`, { name: 'Renamed' });
  await sender.round();
  const told = receiver.messages.find(({ data }) => data.action === 'workspace.update');
  assert.ok(told, JSON.stringify(receiver.messages));
  new Webhook(secret).verify(told.text, told.headers as Record<string, string>);
  const [row] = (
    await call('GET', `/api/organizations/${workspace}/audit-events?action=workspace.update`)
  ).body;
  assert.deepEqual(
    [told.data.id, told.data.actor_user_id, told.data.after],
    [row.id, owner.id, row.after],
  );
});

test('404: a delivery of another webhook; an admin of its project alone manages one', async () => {
  const project = await newProject();
  const body = { url: 'https://a.example/x', event_types: ['task.merged'] };
  const at = `/api/webhooks/${(await add(of(project), body)).id}`;
  const other = await add(of(await newProject()), body);
  const sent = await call('POST', `/api/webhooks/${other.id}/test`);
  const foreign = await unchanged(() => call('POST', `${at}/deliveries/${sent.body.id}/resend`));
  assert.equal(foreign.status, 404);
  const admin = await fixtures.user();
  await fixtures.grant(project, admin, 'admin');
  assert.equal((await call('GET', at, undefined, admin.key)).status, 200);
});

test('409 and 422: too many, addresses that are none, types that do not fit', async () => {
  const project = await newProject();
  const body = { name: 'X', url: 'https://b.example/x', event_types: ['task.merged'] };
  const path = `/api/projects/${project}/webhooks`;
  const wrong: [object, string][] = [
    [{ ...body, url: 'ftp://b.example' }, 'webhook_url_invalid'],
    [{ ...body, url: 'https://user:pass@b.example' }, 'webhook_url_invalid'],
    [{ ...body, url: 'https://b.example:0' }, 'webhook_url_invalid'],
    [{ ...body, event_types: undefined }, 'webhook_event_types'],
    [{ ...body, event_types: ['member.added'] }, 'webhook_event_types'],
    [{ ...body, kind: 'audit' }, 'webhook_event_types'],
    [{ ...body, event_types: ['audit.recorded'] }, 'literal_error'],
    [{ ...body, event_types: [] }, 'too_short'],
  ];
  for (const [sent, type] of wrong) {
    const reply = await unchanged(() => call('POST', path, sent));
    assert.deepEqual([reply.status, reply.body.detail?.[0].type], [422, type], reply.text);
  }
  const made = await Promise.all(Array.from({ length: 24 }, () => call('POST', path, body)));
  assert.deepEqual(
    [
      made.filter(({ status }) => status === 201).length,
      made.filter(({ status }) => status === 409).length,
    ],
    [20, 4],
  );
});

test('an address is sealed for its row, changed without its secret being lost, and in no log', async () => {
  const receiver = await startReceiver();
  const made = await add(of(await newProject()), {
    url: 'https://old.example/hidden?token=topsecret',
    event_types: ['task.merged'],
  });
  assert.equal(made.url, 'https://old.example/hidden?…');
  const changed = await call('PUT', `/api/webhooks/${made.id}`, { url: `${receiver.url}/new` });
  assert.equal(changed.body.url, `${receiver.url}/new`);
  await unchanged(() => call('PUT', `/api/webhooks/${made.id}`, { url: `${receiver.url}/new` }));
  await call('POST', `/api/webhooks/${made.id}/test`);
  await sender.round();
  const [message] = receiver.messages;
  new Webhook(made.secret).verify(message?.text ?? '', message?.headers as Record<string, string>);
  const row = JSON.stringify(
    await db.many(sql`
    select e::text, a.before, a.after from webhook_endpoint e, audit_event a
     where e.id = ${made.id} and a.target_id = e.id::text`),
  );
  for (const secret of ['topsecret', made.secret.slice(6)]) {
    assert.ok(!row.includes(secret));
    assert.ok(!log.join('').includes(secret));
  }
});

test('a deleted webhook, project or workspace takes what waits with it', async () => {
  const receiver = await startReceiver(() => 500);
  const workspace = await fixtures.workspace(owner);
  const [mine, gone] = [
    await fixtures.project({ organizationId: workspace }),
    await fixtures.project({ organizationId: workspace }),
  ];
  const event_types = ['task.created'];
  const one = await add(of(mine), { url: receiver.url, event_types });
  const two = await add(of(gone), { url: receiver.url, event_types });
  const three = await add(`organizations/${workspace}`, { url: receiver.url, event_types });
  for (const project of [mine, gone]) await fixtures.task(project, owner);
  await sender.round();
  await fixtures.task(mine, owner);
  const key = `delete ${one.id}`;
  const deleted = () =>
    request('DELETE', `/api/webhooks/${one.id}`, {
      key: owner.key,
      headers: { 'idempotency-key': key },
    });
  assert.deepEqual([(await deleted()).status, (await deleted()).status], [204, 204]);
  assert.equal((await call('DELETE', `/api/projects/${gone}`)).status, 200);
  assert.equal((await call('DELETE', `/api/organizations/${workspace}`)).status, 200);
  const left = await db.many(sql`
    select id from webhook_delivery where endpoint_id in (${one.id}, ${two.id}, ${three.id})`);
  assert.deepEqual(left, []);
  const before = receiver.messages.length;
  await sender.round();
  assert.equal(receiver.messages.length, before);
});

test('metrics: attempts by result, who fails, and for how long what is due has waited', async () => {
  // What other tests have left is tried again when its time comes, and would be counted here.
  await db.many(sql`delete from webhook_endpoint`);
  const measured = senderOn(harness, { observer: measureWebhooks(metrics, db) });
  const figures = async () =>
    Object.fromEntries(
      [...(await metrics.metrics()).matchAll(/^guildhall_webhook_(\S+) (.+)$/gm)].map(
        ([, name, value]) => [name, Number(value)],
      ),
    );
  await sender.round();
  const before = await figures();
  assert.deepEqual([before.endpoints_failing, before.oldest_due_seconds], [0, 0]);
  let status = 500;
  const receiver = await startReceiver(() => status);
  const project = await newProject();
  const { id } = await add(of(project), { url: receiver.url, event_types: ['task.created'] });
  await fixtures.task(project, owner);
  await db.many(sql`
    with e as (update webhook_endpoint set created_at = created_at - interval '10 minutes'
                where id = ${id})
    update webhook_event set noted_at = noted_at - interval '10 minutes'
     where project_id = ${project}`);
  assert.ok(((await figures()).oldest_due_seconds ?? 0) >= 600);
  await measured.round();
  assert.equal((await figures()).endpoints_failing, 1);
  status = 200;
  await comeDue(id);
  await measured.round();
  const { endpoints_failing, oldest_due_seconds, ...attempts } = await figures();
  assert.deepEqual([endpoints_failing, oldest_due_seconds], [0, 0]);
  assert.deepEqual(attempts, {
    'attempts_total{result="delivered"}': 1,
    'attempts_total{result="failed"}': 1,
    'attempts_total{result="gone"}': 0,
  });
});
