import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness({
  env: { PODS_NETWORK_SETUP: 'registry.example', PODS_NETWORK_FIXED: 'deploy' },
});

const NONE = { setup: [], agent: [], checks: [], deploy: [] };
const OPERATORS = { operator: { ...NONE, setup: ['registry.example'] }, fixed: ['deploy'] };

async function tenant() {
  const [owner, viewer] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}/network`;
  const read = () => request('GET', path, { key: viewer.key });
  const set = (body: unknown, by: User = owner, headers = {}) =>
    request('PUT', path, { key: by.key, body, headers });
  const audit = () =>
    db.many(sql`
      select actor_user_id, organization_id, target_id, before, after from audit_event
       where project_id = ${project} and action = 'network.update' order by occurred_at`);
  return { owner, workspace, project, path, read, set, audit };
}

test('200: a project lists none, then those of each list that is sent', async () => {
  const { owner, workspace, project, read, set, audit } = await tenant();
  const first = await read();
  assert.deepEqual([first.status, first.body], [200, { ...NONE, ...OPERATORS }]);
  const reply = await set({
    agent: ['Docs.Example.', '*.a.example:443'],
    checks: ['bücher.example'],
  });
  const lists = {
    ...NONE,
    agent: ['*.a.example:443', 'docs.example'],
    checks: ['xn--bcher-kva.example'],
  };
  assert.deepEqual([reply.status, reply.body], [200, { ...lists, ...OPERATORS }]);
  assert.notEqual(reply.headers.get('etag'), first.headers.get('etag'));
  const second = await read();
  assert.deepEqual(second.body, reply.body);
  assert.equal(second.headers.get('etag'), reply.headers.get('etag'));
  await set({ agent: ['docs.example', 'new.example'] });
  assert.deepEqual((await set({ checks: [], deploy: [] })).body.checks, []);
  const by = { actor_user_id: owner.id, organization_id: workspace, target_id: project };
  const changes = [
    [{}, { agent: lists.agent, checks: lists.checks }],
    [{ agent: ['*.a.example:443'] }, { agent: ['new.example'] }],
    [{ checks: lists.checks }, {}],
  ];
  assert.deepEqual(
    await audit(),
    changes.map(([removed, added]) => ({
      ...by,
      before: { network_removed: removed },
      after: { network_added: added },
    })),
  );
});

test('200: the same lists write nothing', async () => {
  const { set } = await tenant();
  const { headers } = await set({ agent: ['b.example', 'a.example'] });
  for (const body of [{}, { agent: ['a.example', 'b.example'] }]) {
    const again = await unchanged(() => set(body));
    assert.deepEqual([again.status, again.headers.get('etag')], [200, headers.get('etag')]);
  }
});

test('412: If-Match of lists that have changed since; of two at once, one is refused', async () => {
  const { owner, read, set } = await tenant();
  const old = { 'if-match': (await read()).headers.get('etag') as string };
  const both = await Promise.all(
    ['a.example', 'b.example'].map((host) => set({ agent: [host] }, owner, old)),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  const reply = await unchanged(() => set({ checks: ['c.example'] }, owner, old));
  assert.deepEqual([reply.status, reply.body.code], [412, 'network_changed']);
});

test('422: what is no host, is twice in a list, or is the operator’s to decide, by place', async () => {
  const { set } = await tenant();
  const refused = async (body: unknown, ...expected: [string, ...(string | number)[]][]) => {
    const reply = await unchanged(() => set(body));
    const found = reply.body.detail.map((item: { type: string; loc: string[] }) => [
      item.type,
      ...item.loc.slice(1),
    ]);
    assert.deepEqual([reply.status, found], [422, expected]);
  };
  const wrong = ['*', '*.com', 'a.example:22', '10.0.0.1', '[::1]', 'https://a.example', '0x7f.1'];
  await refused(
    { agent: wrong, checks: ['a.example', 'A.example'] },
    ...wrong.map((_, i): [string, string, number] => ['host_invalid', 'agent', i]),
    ['host_repeated', 'checks', 1],
  );
  await refused({ deploy: ['a.example'] }, ['network_fixed', 'deploy']);
  await refused({ agent: [''] }, ['string_too_short', 'agent', 0]);
  await refused({ other: [] }, ['extra_forbidden', 'other']);
  const many = Array.from({ length: 101 }, (_, i) => `h${i}.example`);
  await refused({ agent: many }, ['too_long', 'agent']);
  assert.equal((await set({ agent: many.slice(1) })).status, 200);
});
