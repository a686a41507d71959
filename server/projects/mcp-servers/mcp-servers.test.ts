import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** MCP servers of a project: who may set them, and what they hold. */

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const newProject = () => fixtures.project({ organizationId: workspace });
const remote = { url: 'https://mcp.example/mcp', turns: ['build'], read_only: false };
const local = { command: '/opt/files', args: ['--stdio'], turns: ['build'], read_only: false };
const token = [{ name: 'Authorization', value: `Bearer \${TOKEN}` }];

const at = (project: string, name?: string) =>
  `/api/projects/${project}/mcp-servers${name === undefined ? '' : `/${name}`}`;
const put = (project: string, name: string, body: object, key = owner.key) =>
  request('PUT', at(project, name), { key, body });
const list = async (project: string) =>
  (await request('GET', at(project), { key: owner.key })).body;

test('200: set, listed by name, replaced as a whole; 204: removed', async () => {
  const project = await newProject();
  const set = await put(project, 'docs', { ...remote, headers: token });
  assert.equal(set.status, 200, set.text);
  const { updated_at, ...shown } = set.body;
  assert.ok(Date.parse(updated_at) > 0);
  assert.deepEqual(shown, {
    name: 'docs',
    ...remote,
    headers: token,
    args: [],
    env: [],
    host_allowed: false,
    updated_by_user_id: owner.id,
  });
  const files = await put(project, 'Files', local);
  assert.deepEqual([files.body.url, files.body.host_allowed], [undefined, undefined]);
  assert.deepEqual(
    (await list(project)).map(({ name }: { name: string }) => name),
    ['Files', 'docs'],
  );
  const both = { ...remote, turns: ['build', 'plan'], read_only: true };
  const replaced = await put(project, 'docs', both);
  assert.deepEqual([replaced.body.headers, replaced.body.turns], [[], ['plan', 'build']]);
  const remove = () => request('DELETE', at(project, 'docs'), { key: owner.key });
  assert.equal((await remove()).status, 204);
  assert.equal((await remove()).status, 404);
  const events = await db.many<{ action: string; after: object | null }>(sql`
    select action, after from audit_event where project_id = ${project} order by id`);
  assert.deepEqual(
    events.map(({ action }) => action),
    ['mcp_server.set', 'mcp_server.set', 'mcp_server.set', 'mcp_server.removed'],
  );
  assert.ok(!JSON.stringify(events).includes('TOKEN'));
});

test('whether agents reach a host follows the list of the project', async () => {
  const project = await newProject();
  const shown = async (url: string) =>
    (await put(project, 'one', { ...remote, url })).body.host_allowed;
  const body = { agent: ['mcp.example', '*.wild.example:443', '*.all.example'] };
  await request('PUT', `/api/projects/${project}/network`, { key: owner.key, body });
  for (const [url, allowed] of [
    ['https://mcp.example/mcp', true],
    ['http://MCP.example/mcp', true],
    ['https://mcp.example:8443/mcp', false],
    ['https://x.mcp.example/', false],
    ['https://a.wild.example/', true],
    ['http://a.wild.example/', false],
    ['https://wild.example/', false],
    ['https://a.b.all.example/', true],
    ['https://xall.example/', false],
  ] as const)
    assert.equal(await shown(url), allowed, url);
});

test('404: a server of another project', async () => {
  await put(await newProject(), 'docs', remote);
  const other = at(await newProject(), 'docs');
  const { status } = await unchanged(() => request('DELETE', other, { key: owner.key }));
  assert.equal(status, 404);
});

test('409: one too many; 422: what is no server, or would show a secret', async () => {
  const project = await newProject();
  for (const [body, code] of [
    [{ ...remote, ...local }, 'mcp_server_kind'],
    [{ turns: ['build'], read_only: true }, 'mcp_server_kind'],
    [{ ...local, headers: token }, 'mcp_server_kind'],
    [{ ...remote, args: ['x'] }, 'mcp_server_kind'],
    [{ ...remote, turns: ['plan'] }, 'mcp_server_not_read_only'],
    [{ ...remote, turns: ['build', 'build'] }, 'mcp_server_turn_repeated'],
    [{ ...remote, url: 'ftp://mcp.example' }, 'mcp_server_url_invalid'],
    [{ ...remote, url: 'https://me:pass@mcp.example' }, 'mcp_server_url_invalid'],
    [{ ...remote, url: 'https://mcp.example/?api_key=abc' }, 'mcp_server_url_invalid'],
    [{ ...remote, url: 'mcp.example' }, 'mcp_server_url_invalid'],
    [{ ...remote, url: 'http://mcp.example', headers: token }, 'mcp_server_url_not_encrypted'],
    [{ ...remote, headers: [{ name: 'X-Api-Key', value: 'abc' }] }, 'mcp_server_value_is_secret'],
    [{ ...local, env: [{ name: 'GH_TOKEN', value: 'abc' }] }, 'mcp_server_value_is_secret'],
  ] as const) {
    const refused = await unchanged(() => put(project, 'docs', body));
    assert.deepEqual([refused.status, refused.body.detail[0].type], [422, code], refused.text);
  }
  for (const name of ['a%20b', 'a.b', 'x'.repeat(51)])
    assert.equal((await unchanged(() => put(project, name, remote))).status, 422);
  for (let number = 0; number < 20; number++) await put(project, `n${number}`, remote);
  const one = await unchanged(() => put(project, 'n20', remote));
  assert.deepEqual([one.status, one.body.code], [409, 'too_many_mcp_servers']);
  assert.equal((await put(project, 'n19', local)).status, 200);
});
