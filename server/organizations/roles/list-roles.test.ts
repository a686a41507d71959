import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged } = await startHarness();

type Role = { id: string; name: string; slug: string; scope: string; member_count: number };

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const path = `/api/organizations/${workspace}/roles`;
  const list = async (by = owner): Promise<Role[]> =>
    (await request('GET', path, { key: by.key })).body;
  return { owner, workspace, path, list };
}

test('200: built-in roles by their rights, those of projects after them, then custom ones by name', async () => {
  const { owner, workspace, path, list } = await tenant();
  for (const name of ['zebra', 'Auditor', 'Äpfel', 'beta'])
    await fixtures.role(workspace, { name, scope: name === 'beta' ? 'project' : 'workspace' });
  const whole = await list();
  assert.deepEqual(
    whole.map(({ scope, name }) => `${scope} ${name}`),
    [
      'workspace Owner',
      'workspace Admin',
      'workspace Member',
      'workspace Viewer',
      'project Project admin',
      'project Project member',
      'project Project viewer',
      'workspace Auditor',
      'project beta',
      'workspace zebra',
      'workspace Äpfel',
    ],
  );
  const pages: Role[] = [];
  let next: string | undefined = `${path}?limit=3`;
  while (next !== undefined) {
    const reply: Awaited<ReturnType<typeof request>> = await request('GET', next, {
      key: owner.key,
    });
    pages.push(...reply.body);
    next = /^<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
  for (const role of whole) {
    const { body, headers } = await request('GET', `${path}/${role.id}`, { key: owner.key });
    assert.deepEqual(body, role, 'the list and the role itself differ');
    assert.match(headers.get('etag') ?? '', /^"\d+"$/);
  }
});

test('200: the owner counts as owner, members by their role, projects by the roles set on them', async () => {
  const { owner, workspace, list } = await tenant();
  const [custom, onProjects] = [
    await fixtures.role(workspace),
    await fixtures.role(workspace, { scope: 'project' }),
  ];
  const people = await Promise.all([1, 2, 3, 4].map(() => fixtures.user()));
  const [admin, member, one, two] = people as [
    typeof owner,
    typeof owner,
    typeof owner,
    typeof owner,
  ];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  for (const user of [one, two]) await fixtures.member(workspace, user, custom);
  for (const _ of [1, 2]) {
    const project = await fixtures.project({ organizationId: workspace });
    await fixtures.grant(project, one, 'viewer');
    await fixtures.grant(project, two, onProjects);
  }
  // What people have elsewhere does not count here.
  const elsewhere = await fixtures.workspace(owner);
  await fixtures.member(elsewhere, admin, 'admin');
  await fixtures.grant(await fixtures.project({ organizationId: elsewhere }), one, 'viewer');
  await fixtures.grant(await fixtures.project({ userId: owner.id }), one, 'viewer');

  const counts = Object.fromEntries(
    (await list()).map(({ id, scope, slug, member_count }) => [
      id === custom ? 'custom' : id === onProjects ? 'on projects' : `${scope} ${slug}`,
      member_count,
    ]),
  );
  assert.deepEqual(counts, {
    'workspace owner': 1,
    'workspace admin': 1,
    'workspace member': 1,
    'workspace viewer': 0,
    'project admin': 0,
    'project member': 0,
    'project viewer': 2,
    custom: 2,
    'on projects': 2,
  });
});

test('200: every member sees the roles; 403: strangers and collaborators do not', async () => {
  const { workspace, path, list } = await tenant();
  const [viewer, guest, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const custom = await fixtures.role(workspace, { actsAs: 'viewer' });
  await fixtures.member(workspace, viewer, custom);
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'admin');
  assert.equal((await list(viewer)).length, 8);
  await unchanged(async () => {
    for (const { key } of [guest, stranger])
      for (const url of [path, `${path}/${custom}`]) {
        const reply = await request('GET', url, { key });
        assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
      }
  });
});

test('404: a role of another workspace, even for the owner of both; an unknown role', async () => {
  const { owner, path } = await tenant();
  const other = await fixtures.role(await fixtures.workspace(owner));
  for (const id of [other, randomUUID()])
    assert.equal((await request('GET', `${path}/${id}`, { key: owner.key })).status, 404);
});
