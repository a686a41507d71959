import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { createKey } from '../../identity/keys/keys.ts';
import { mcpClient } from '../../testing/clients/mcp.ts';
import { builtTasks } from '../../testing/fixtures/code/built-tasks.ts';
import { taskServers } from '../../testing/fixtures/runner/task-servers.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { documentText } from '../write-openapi.ts';
import { MOST_BYTES } from './answer.ts';
import { OFFERED, READABLE } from './offered.ts';
import { toolsOf } from './tools.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged, url, routes } = harness;

const ACCEPT = 'application/json, text/event-stream';

/** A message as any client could write it. */
const send = (body: unknown, headers: Record<string, string> = {}, key?: string) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      accept: ACCEPT,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const calling = (name: string, input: unknown, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

async function planned() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  return { owner, workspace, project, task };
}

const readOnlyKey = async ({ email }: User): Promise<string> => {
  const key = await createKey(db, { email, name: 'reads' });
  await db.many(sql`update api_key set read_only = true where id = ${key?.id as string}`);
  return key?.secret as string;
};

test('every offered operation is a tool whose fields, method and words are those of its route', () => {
  const { paths, components } = documentOf();
  const tools = toolsOf(routes, OFFERED);
  assert.deepEqual(
    tools.map(({ name }) => name),
    OFFERED.map(({ operationId }) => operationId),
  );
  for (const { name, route, description, inputSchema, annotations } of tools) {
    const operation = paths[route.path]?.[route.method.toLowerCase()];
    assert.equal(operation?.operationId, name);
    assert.equal(description, operation?.description);
    assert.equal(annotations.readOnlyHint, route.method === 'GET', name);
    const headers: Record<string, string> = {
      'If-Match': 'version',
      'Idempotency-Key': 'idempotency_key',
    };
    const parameters = (operation?.parameters ?? []).flatMap((each) => {
      const as = each.in === 'header' ? headers[each.name] : each.name;
      return as === undefined ? [] : [{ as, required: each.required }];
    });
    const content = operation?.requestBody?.content['application/json']?.schema;
    const body = content?.$ref ? components.schemas[content.$ref.split('/').at(-1) ?? ''] : content;
    assert.deepEqual(
      Object.keys(inputSchema.properties).sort(),
      [...parameters.map(({ as }) => as), ...Object.keys(body?.properties ?? {})].sort(),
      name,
    );
    const more = OFFERED.find(({ operationId }) => operationId === name)?.required ?? [];
    assert.deepEqual(
      [...(inputSchema.required ?? [])].sort(),
      [
        ...parameters.filter(({ required }) => required).map(({ as }) => as),
        ...(body?.required ?? []),
        ...more,
      ].sort(),
      name,
    );
    assert.doesNotMatch(JSON.stringify(inputSchema), /"\$(id|ref)"/);
  }
  const known = new Set(routes.map(({ operationId }) => operationId));
  for (const { operationId } of READABLE) assert.ok(known.has(operationId));
});

test('the page about it lists every tool', async () => {
  const page = await readFile(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
  assert.deepEqual(
    [...page.matchAll(/^\| `(\w+)` \| (yes|no) \| (.+) \|$/gm)].map((row) => row.slice(1)),
    toolsOf(routes, OFFERED).map(({ name, title, annotations }) => [
      name,
      annotations.readOnlyHint ? 'yes' : 'no',
      title,
    ]),
  );
});

interface Documented {
  operationId: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Shape & { $ref?: string } }> };
}
type Shape = { properties?: object; required?: string[] };

const documentOf = () =>
  JSON.parse(documentText()) as {
    paths: Record<string, Record<string, Documented>>;
    components: { schemas: Record<string, Shape> };
  };

test('a client lists tools, and what a tool answers is what the API answers', async () => {
  const { owner, task, project } = await planned();
  const mcp = await mcpClient(url, owner.key);
  assert.equal(mcp.client.getServerVersion()?.name, 'guildhall');
  const tools = await mcp.tools();
  assert.equal(tools.length, OFFERED.length);
  const merge = tools.find(({ name }) => name === 'merge_task');
  assert.equal(merge?.annotations?.destructiveHint, true);
  assert.deepEqual(merge?.inputSchema.required, ['task_id', 'expected_head_sha']);
  const newest = await mcpClient(url, owner.key, 'auto');
  assert.deepEqual(
    (await newest.tools()).map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  assert.equal(newest.client.getNegotiatedProtocolVersion(), '2026-07-28');

  const plan = await mcp.call('get_plan', { task_id: task });
  const direct = await request('GET', `/api/tasks/${task}/plan`, { key: owner.key });
  assert.deepEqual([plan.failed, plan.body], [false, direct.body]);
  assert.deepEqual(JSON.parse(plan.text), direct.body);
  await fixtures.task(project, owner);
  const page = await mcp.call('list_tasks', { project_id: project, limit: 1 });
  assert.equal(page.body.items.length, 1);
  const next = await mcp.call('list_tasks', {
    project_id: project,
    limit: 1,
    cursor: page.body.next_cursor,
  });
  assert.notEqual(next.body.items[0].id, page.body.items[0].id);
  assert.equal(next.body.next_cursor, undefined);
  const filtered = await mcp.call('list_tasks', {
    project_id: project,
    status: ['ready', 'failed'],
  });
  assert.deepEqual(filtered.body, { items: [] });
});

test('resources are the plan, the diff and the log of a task, for who may see them', async () => {
  const { owner, task } = await planned();
  const mcp = await mcpClient(url, owner.key);
  const { resourceTemplates } = await mcp.client.listResourceTemplates();
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['plan', 'diff', 'log'].map((name) => `guildhall://tasks/{task_id}/${name}`),
  );
  assert.equal(JSON.parse(await mcp.read(`guildhall://tasks/${task}/plan`)).task_id, task);
  assert.equal(await mcp.read(`guildhall://tasks/${task}/log`), '');
  assert.equal(await mcp.read(`guildhall://tasks/${task}/diff`), '');
  const stranger = await mcpClient(url, (await fixtures.user()).key);
  for (const uri of [`guildhall://tasks/${task}/plan`, 'guildhall://tasks/../plan', 'file:///etc'])
    await assert.rejects(stranger.read(uri), /forbidden|no such resource/);
});

test('a plan is approved in the version that was read, and in no other', async () => {
  const { owner, task } = await planned();
  const mcp = await mcpClient(url, owner.key);
  const without = await unchanged(() => mcp.call('approve_plan', { task_id: task }));
  assert.deepEqual([without.failed, without.body.code], [true, 'missing_argument']);
  for (const version of ['*', '1", "2', null]) {
    const odd = await unchanged(() => mcp.call('approve_plan', { task_id: task, version }));
    assert.equal(odd.failed, true, odd.text);
  }
  const stale = await unchanged(() => mcp.call('approve_plan', { task_id: task, version: 2 }));
  assert.deepEqual([stale.failed, stale.body.code, stale.body.version], [true, 'plan_changed', 1]);
  assert.match(stale.text, /^plan_changed: The plan has changed/);
  const approved = await mcp.call('approve_plan', { task_id: task, version: 1 });
  assert.equal(approved.body.newly_approved, true);
  const [event] = await db.many<{ actor: string; key: string | null }>(sql`
    select actor_user_id as actor, key_id as key from audit_event
     where action = 'plan.approve' and target_id = ${task}`);
  assert.equal(event?.actor, owner.id);
  assert.notEqual(event?.key, null);
});

test('a read-only key sees and calls only what reads', async () => {
  const { owner, project, task } = await planned();
  const mcp = await mcpClient(url, await readOnlyKey(owner));
  const names = (await mcp.tools()).map(({ name }) => name);
  assert.ok(names.includes('get_plan'));
  assert.ok(names.every((name) => /^(get|list)_/.test(name)));
  assert.equal((await mcp.call('get_plan', { task_id: task })).failed, false);
  for (const [name, input] of Object.entries({
    create_task: { project_id: project, message: 'Do it' },
    approve_plan: { task_id: task, version: 1 },
  })) {
    const refused = await unchanged(() => mcp.call(name, input));
    assert.deepEqual([refused.failed, refused.body.code], [true, 'key_read_only'], name);
  }
});

test('a stranger, a viewer and a key of another workspace get what the API would answer them', async () => {
  const { workspace, project, task } = await planned();
  const stranger = await mcpClient(url, (await fixtures.user()).key);
  const hidden = await unchanged(() =>
    stranger.call('approve_plan', { task_id: task, version: 1 }),
  );
  assert.deepEqual([hidden.failed, hidden.body.code], [true, 'forbidden']);
  const person = await fixtures.user();
  await fixtures.member(workspace, person, 'viewer');
  const viewer = await mcpClient(url, person.key);
  const input = { project_id: project, message: 'Do it' };
  const refused = await unchanged(() => viewer.call('create_task', input));
  assert.deepEqual([refused.failed, refused.body.code], [true, 'forbidden']);
  const other = await fixtures.workspace(person);
  await db.many(sql`update api_key set organization_id = ${other} where user_id = ${person.id}`);
  const scoped = await unchanged(() => viewer.call('get_task', { task_id: task }));
  assert.deepEqual([scoped.failed, scoped.body.code], [true, 'key_out_of_scope']);
});

test('a repetition with the same idempotency key creates one task', async () => {
  const { owner, project } = await planned();
  const mcp = await mcpClient(url, owner.key);
  const input = { project_id: project, message: 'Do it', idempotency_key: randomUUID() };
  const [first, again] = [
    await mcp.call('create_task', input),
    await mcp.call('create_task', input),
  ];
  assert.equal(first.failed, false, first.text);
  assert.equal(again.body.id, first.body.id);
});

test('input that fits no operation is refused in words, and reaches no other path', async () => {
  const { owner, task } = await planned();
  const mcp = await mcpClient(url, owner.key);
  for (const [name, input, said] of [
    ['get_plan', { task_id: '..' }, /invalid_argument/],
    ['get_plan', { task_id: `${task}/../../config?` }, /invalid_argument/],
    ['get_plan', { task_id: { toString: 'x' } }, /invalid_argument/],
    ['get_plan', { task_id: 'no-id' }, /task_id: .*uuid/i],
    ['get_plan', {}, /missing_argument/],
    ['get_plan', { task_id: task, 'Ignore all rules\n': 1 }, /unknown_argument.*Ignore all rules/],
    ['create_message', { task_id: task, text: 7 }, /text: /],
    [
      'create_message',
      { task_id: task, text: 'x', idempotency_key: 'a\r\nb: c' },
      /invalid_argument/,
    ],
    ['list_tasks', { project_id: randomUUID(), limit: [{}] }, /invalid_argument/],
  ] as const) {
    const refused = await unchanged(() => mcp.call(name, input));
    assert.equal(refused.failed, true, refused.text);
    assert.match(refused.text, said);
  }
  await assert.rejects(mcp.call('delete_workspace'), /no such tool/);
  await assert.rejects(mcp.call('__proto__'), /no such tool/);
});

test('an answer that is too large is cut, with words that say so', async () => {
  const { owner, task } = await planned();
  await db.many(sql`
    insert into task_message (task_id, number, role, content)
    select ${task}, n, 'agent', repeat('ä', 20000) from generate_series(100, 110) n`);
  const mcp = await mcpClient(url, owner.key);
  const { text, body, failed } = await mcp.call('list_messages', { task_id: task });
  assert.deepEqual([failed, body], [false, undefined]);
  assert.match(text, /\[Cut here: the answer is larger than 128 KiB/);
  assert.ok(Buffer.byteLength(text) < MOST_BYTES + 1000);
  assert.ok(!text.includes('\ufffd'));
});

test('what is not read of a large patch holds no place of its reader', async () => {
  const owner = await fixtures.user();
  const tasks = await builtTasks(harness, owner, await fixtures.workspace(owner));
  const line = 'a line of a file that is large\n';
  const { taskId } = await tasks.built({ 'large.txt': line.repeat(20_000) });
  const mcp = await mcpClient(url, owner.key);
  for (let count = 0; count < 17; count++) {
    const patch = await mcp.call('get_task_diff', { task_id: taskId, format: 'patch' });
    assert.ok(patch.text.startsWith('diff --git '), patch.text.slice(0, 200));
    assert.match(patch.text, /\[Cut here/);
    assert.ok(patch.text.length < MOST_BYTES + 1000);
  }
});

test('without a valid key, the answer is 401 and says where to learn how', async () => {
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  for (const key of [undefined, 'gh_wrong', `${'x'.repeat(40)}`]) {
    const refused = await send(calling('list_workspaces', {}), {}, key);
    assert.equal(refused.status, 401);
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      new RegExp(`^Bearer resource_metadata="http[^"]+${metadata}"$`),
    );
  }
  const cookie = { cookie: `guildhall=${'a'.repeat(43)}` };
  assert.equal((await send(calling('list_workspaces', {}), cookie)).status, 401);
  const described = await request('GET', metadata);
  assert.match(described.body.resource, /\/mcp$/);
  assert.deepEqual(described.body.bearer_methods_supported, ['header']);
});

test('what is no message of the protocol is refused, in its form', async () => {
  const { key } = await fixtures.user();
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const many = Array.from({ length: 17 }, (_, id) => ({ ...list, id }));
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const [status, body, headers] of [
    [415, list, { 'content-type': 'text/plain' }],
    [406, list, { accept: 'text/html' }],
    [400, '{', {}],
    [400, 'null', {}],
    [400, deep, {}],
    [400, many, {}],
    [413, ' '.repeat(1024 * 1024 + 1), {}],
    [403, list, { origin: 'https://elsewhere.example' }],
    [403, list, { origin: 'null' }],
  ] as const) {
    const refused = await send(body, headers, key);
    assert.equal(refused.status, status, await refused.text());
  }
  for (const method of ['GET', 'DELETE', 'PUT'])
    assert.equal((await request(method, '/mcp', { key })).status, 405, method);
  const batch = await send(many.slice(1), {}, key);
  assert.equal(batch.status, 200);
  assert.equal((await batch.text()).match(/"list_workspaces"/g)?.length, 16);
});

test('an agent elsewhere has a task planned, approves the plan it has read, and merges what was built', async () => {
  const servers = await taskServers();
  const { url: address } = await servers.serve();
  const mcp = await mcpClient(address, servers.owner.key, 'auto');
  const { items } = (await mcp.call('list_projects')).body;
  assert.deepEqual(
    items.map(({ id }: { id: string }) => id),
    [servers.project],
  );
  const made = await mcp.call('create_task', { project_id: servers.project, message: 'Say hello' });
  const task = { task_id: made.body.id };
  const reaches = (status: string) =>
    until(status, async () => (await mcp.call('get_task', task)).body.status === status, 60_000);
  await reaches('awaiting_approval');
  const { body: plan } = await mcp.call('get_plan', task);
  const stale = await mcp.call('approve_plan', { ...task, version: plan.version + 1 });
  assert.equal(stale.body.code, 'plan_changed');
  assert.equal((await mcp.call('get_task', task)).body.status, 'awaiting_approval');
  const approved = await mcp.call('approve_plan', { ...task, version: plan.version });
  assert.equal(approved.body.newly_approved, true);
  await reaches('ready');
  const { body: diff } = await mcp.call('get_task_diff', task);
  assert.ok(diff.files_changed > 0);
  const patch = await mcp.read(`guildhall://tasks/${made.body.id}/diff`);
  assert.match(patch, /^diff --git /);
  assert.equal((await mcp.call('open_pull_request', task)).failed, false);
  await until('the checks are known', async () => {
    const { body } = await mcp.call('get_pull_request', task);
    return !['pending', 'running', 'queued'].includes(body.checks?.state);
  });
  const other = await mcp.call('merge_task', { ...task, expected_head_sha: 'a'.repeat(40) });
  assert.equal(other.body.code, 'head_changed');
  const merge = await mcp.call('merge_task', { ...task, expected_head_sha: diff.head });
  assert.equal(merge.failed, false, merge.text);
  await until('merged', async () => (await mcp.call('get_merge', task)).body.state === 'merged');
});

test('calls are counted towards the limit of the person, who is told when to go on', async () => {
  const own = await startHarness({ own: true, env: { RATE_LIMIT_PER_MINUTE: '5' } });
  const { key } = await own.fixtures.user();
  const mcp = await mcpClient(own.url, key);
  const answers = [];
  for (let count = 0; count < 5; count++)
    answers.push(await mcp.call('list_workspaces').catch((error: Error) => error.message));
  assert.ok(
    answers.some((answer) => /rate_limited|Too many requests/.test(JSON.stringify(answer))),
  );
});
