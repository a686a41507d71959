import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness({
  env: { PUBLIC_URL: 'https://guild.example/' },
});

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  return { owner, workspace, path: `/api/organizations/${workspace}/invitations` };
}

test('200: an open invitation with every field; the token is never there', async () => {
  const { owner, workspace, path } = await tenant();
  await db.many(
    sql`update organization set color = '#3355AA', icon = 'rocket' where id = ${workspace}`,
  );
  const id = await fixtures.invitation(workspace, {
    email: 'Eve@Example.com',
    role: 'viewer',
    by: owner,
  });
  const { body } = await request('GET', path, { key: owner.key });
  assert.equal(body.length, 1);
  const { created_at, expires_at, invite_link, ...rest } = body[0];
  assert.deepEqual(rest, {
    id,
    organization_id: workspace,
    email: 'Eve@Example.com',
    role: 'viewer',
    status: 'pending',
    invited_by_name: 'Inviter',
    organization_name: 'Acme',
    organization_color: '#3355AA',
    organization_icon: 'rocket',
    require_2fa_before_join: false,
  });
  assert.match(created_at, /Z$/);
  assert.ok(expires_at > created_at);
  assert.match(
    invite_link,
    new RegExp(`^https://guild\\.example/invitations/${id}\\?token=[\\w-]{43}$`),
  );
});

test('200: a name that looks like a link stays a name, whatever it contains', async () => {
  const { owner, workspace, path } = await tenant();
  const id = await fixtures.invitation(workspace);
  const name = `","invite_link":"${id}:1","\\" \u2028 \u{1F980}`;
  await db.many(sql`update invitation set invited_by_name = ${name} where id = ${id}`);
  // The database refuses U+2028 in the name of a workspace.
  const title = name.replace('\u2028', '');
  await db.many(
    sql`update organization set name = ${title}, icon = ${'"\\'} where id = ${workspace}`,
  );
  const { body } = await request('GET', path, { key: owner.key });
  assert.equal(body[0].invited_by_name, name);
  assert.equal(body[0].organization_name, title);
  assert.equal(body[0].organization_icon, '"\\');
  assert.match(body[0].invite_link, /\?token=[\w-]{43}$/);
});

test('200: a renewed invitation has another link, and no column holds a link or its token', async () => {
  const { owner, workspace, path } = await tenant();
  await fixtures.invitation(workspace);
  const first = (await request('GET', path, { key: owner.key })).body[0].invite_link;
  await db.many(
    sql`update invitation set generation = generation + 1 where organization_id = ${workspace}`,
  );
  const second = (await request('GET', path, { key: owner.key })).body[0].invite_link;
  assert.notEqual(first, second);
  const [row] = await db.many<{ text: string }>(
    sql`select i::text as text from invitation i where organization_id = ${workspace}`,
  );
  assert.ok(!row?.text.includes(new URL(second).searchParams.get('token') as string));
});

test('200: accepted, declined and revoked ones are never listed; an expired one says so and has no link', async () => {
  const { owner, workspace, path } = await tenant();
  for (const status of ['accepted', 'declined', 'revoked'])
    await fixtures.invitation(workspace, { status });
  const expired = await fixtures.invitation(workspace, { expiresInHours: -1 });
  const pending = await fixtures.invitation(workspace);
  const { body } = await request('GET', path, { key: owner.key });
  const shown = body.map((i: Record<string, unknown>) => [i.id, i.status, 'invite_link' in i]);
  assert.deepEqual(
    new Map(shown.map(([id, ...rest]: unknown[]) => [id, rest])),
    new Map([
      [expired, ['expired', false]],
      [pending, ['pending', true]],
    ]),
  );
  for (const [status, id] of [
    ['pending', pending],
    ['expired', expired],
  ]) {
    const narrowed = await request('GET', `${path}?status=${status}`, { key: owner.key });
    assert.deepEqual(
      narrowed.body.map((i: { id: string }) => i.id),
      [id],
    );
  }
});

test('200: newest first, ties by id; pages are the whole list; unknown query names are ignored', async () => {
  const { owner, workspace, path } = await tenant();
  const now = Date.now();
  for (const age of [3, 1, 2, 2, 2])
    await fixtures.invitation(workspace, { createdAt: new Date(now - age * 60_000) });
  const whole = (await request('GET', `${path}?page=7`, { key: owner.key })).body;
  const keys = whole.map((i: { created_at: string; id: string }) => `${i.created_at} ${i.id}`);
  assert.deepEqual(keys, [...keys].sort().reverse());
  const pages: unknown[] = [];
  let next: string | undefined = `${path}?limit=2`;
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof request>> = await request('GET', next, {
      key: owner.key,
    });
    pages.push(...page.body);
    next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});

test('200: the two-factor policy is the one of now; an empty workspace has an empty list', async () => {
  const { owner, workspace, path } = await tenant();
  assert.deepEqual((await request('GET', path, { key: owner.key })).body, []);
  await fixtures.invitation(workspace);
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  await db.many(sql`update app_user set two_factor = true where id = ${owner.id}`);
  assert.equal(
    (await request('GET', path, { key: owner.key })).body[0].require_2fa_before_join,
    true,
  );
});

test('403: members, viewers, strangers and collaborators may not see invitations', async () => {
  const { workspace, path } = await tenant();
  const [member, viewer, stranger, guest] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'admin');
  for (const { key } of [member, viewer, stranger, guest]) {
    const reply = await request('GET', path, { key });
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
});

test('404: no such workspace', async () => {
  const { owner } = await tenant();
  assert.equal(
    (await request('GET', `/api/organizations/${randomUUID()}/invitations`, { key: owner.key }))
      .status,
    404,
  );
});

test('422: an unknown status, a bad limit and a foreign cursor', async () => {
  const { owner, path } = await tenant();
  for (const [query, type] of [
    ['status=accepted', 'literal_error'],
    ['limit=-1', 'greater_than_equal'],
    ['cursor=AAAA', 'cursor_invalid'],
  ]) {
    const reply = await request('GET', `${path}?${query}`, { key: owner.key });
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
  }
});

test('database: one open invitation per workspace and address, and no invitation makes an owner', async () => {
  const { workspace } = await tenant();
  await fixtures.invitation(workspace, { email: 'one@example.com', status: 'declined' });
  await fixtures.invitation(workspace, { email: 'one@example.com' });
  await assert.rejects(
    fixtures.invitation(workspace, { email: 'ONE@example.com' }),
    /invitation_open_mailbox/,
  );
  await assert.rejects(
    db.many(sql`insert into invitation (organization_id, email, role_id)
                select ${workspace}, 'x@example.com', id from role where slug = 'owner'`),
    /foreign key/,
  );
});
