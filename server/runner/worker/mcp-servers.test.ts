import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { type LeftOut, mcpServersOf } from './mcp-servers.ts';

/** Which MCP servers of a project the agent of a turn is given, and with what values. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const work = await agentsAtWork(harness);
const by = await fixtures.user();
const workspace = await fixtures.workspace(by);
const TOKEN = { Authorization: `Bearer \${TOKEN}` };

async function given(
  projectId: string,
  mode: 'plan' | 'build',
  { env = {}, hosts }: { env?: Record<string, string>; hosts?: string[] } = {},
) {
  const left: LeftOut[] = [];
  const servers = await mcpServersOf(
    db,
    { projectId, mode },
    {
      variables: { env, secrets: [] },
      network: hosts && { hosts },
      onLeftOut: (why) => left.push(why),
    },
  );
  return { servers, left, names: servers.map(({ name }) => name) };
}

test('a turn that plans gets what is for it and reads only; values come from variables', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.mcpServer(project, { by, name: 'both', turns: ['plan', 'build'] });
  await fixtures.mcpServer(project, { by, name: 'builds', headers: TOKEN });
  await fixtures.mcpServer(project, { by, name: 'files', command: '/opt/files', readOnly: false });
  assert.deepEqual((await given(project, 'plan')).names, ['both']);
  const { servers } = await given(project, 'build', { env: { TOKEN: 'hush' } });
  assert.deepEqual(servers, [
    { name: 'both', url: 'https://mcp.example/mcp', headers: [] },
    {
      name: 'builds',
      url: 'https://mcp.example/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer hush' }],
    },
    { name: 'files', command: '/opt/files', args: [], env: [] },
  ]);
});

test('a server whose variable is missing, whose value breaks a header, or whose host is not listed, is left out and named', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const turns = ['plan', 'build'];
  await fixtures.mcpServer(project, { by, name: 'one', headers: TOKEN, turns });
  const without = await given(project, 'plan', { env: { toString: 'x' } });
  assert.deepEqual(without.servers, []);
  assert.match(without.left[0]?.text ?? '', /one is not used: it needs TOKEN.*a turn that plans/);
  const broken = await given(project, 'build', { env: { TOKEN: 'a\r\nX-Other: hush' } });
  assert.deepEqual(broken.servers, []);
  assert.match(broken.left[0]?.text ?? '', /value of its header Authorization has line breaks/);
  assert.ok(!JSON.stringify(broken.left).includes('hush'));
  const env = { TOKEN: 'hush' };
  const refused = await given(project, 'build', { env, hosts: ['other.example'] });
  assert.deepEqual(refused.servers, []);
  assert.deepEqual(refused.left[0]?.network, {
    host: 'mcp.example',
    port: 443,
    purpose: 'agent',
    because: 'not_listed',
    allow: 'mcp.example',
  });
  assert.deepEqual(
    (await given(project, 'build', { env, hosts: ['*.example', 'mcp.example'] })).names,
    ['one'],
  );
});

test('a server whose values grow without measure is left out and named, before they are written', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  // As much as may be stored: written out, these are 300 million characters.
  const value = `\${A}`.repeat(500);
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${n}`, value]));
  await fixtures.mcpServer(project, { by, name: 'grows', headers });
  await fixtures.mcpServer(project, { by, name: 'stays', headers: { 'X-A': `\${A}`.repeat(3) } });
  const before = process.memoryUsage().rss;
  const { names, left, servers } = await given(project, 'build', {
    env: { A: 'a'.repeat(32_768) },
  });
  assert.deepEqual(names, ['stays']);
  assert.match(left[0]?.text ?? '', /^The MCP server grows is not used: .* more than 128 KiB/);
  assert.ok(JSON.stringify(servers).length > 3 * 32_768);
  assert.ok(process.memoryUsage().rss - before < 100 * 1024 ** 2);
});

test('an agent sees them in its session, also in one that goes on', async () => {
  const task = await work.task();
  const { body } = await harness.request('GET', `/api/tasks/${task.id}`, { key: task.owner.key });
  const project = body.project_id as string;
  await fixtures.mcpServer(project, { by, name: 'plans', turns: ['plan'] });
  await fixtures.mcpServer(project, { by, name: 'builds', turns: ['build'] });
  await fixtures.mcpServer(project, {
    by,
    name: 'secret',
    turns: ['plan', 'build'],
    headers: TOKEN,
  });
  await fixtures.variable(project, {
    by,
    name: 'TOKEN',
    value: 'hush-hush',
    purposes: ['agent'],
  });
  const worker = work.work();
  await work.untilTurn(await work.send(task, '[[mcp]] [[build:mcp]]'), 'done');
  const texts = async () => JSON.stringify(await work.eventsOf(task.id));
  assert.match(await texts(), /MCP servers: plans, secret\./);
  await harness.request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await work.untilStatus(task.id, 'ready');
  assert.match(await texts(), /MCP servers: builds, secret\./);
  await worker.close();
});
