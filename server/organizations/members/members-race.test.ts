import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// Every race runs many times, because each outcome is possible only now and then.
const ROUNDS = 12;

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const [owner, a, b] = [await fixtures.user(), await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  for (const admin of [a, b]) await fixtures.member(workspace, admin, 'admin');
  const path = `/api/organizations/${workspace}`;
  const update = (by: User, whom: User, body: object) =>
    request('PUT', `${path}/members/${whom.id}`, { key: by.key, body });
  const remove = (by: User, whom: User) =>
    request('DELETE', `${path}/members/${whom.id}`, { key: by.key });
  const leave = (by: User) => request('POST', `${path}/leave`, { key: by.key });
  const transfer = (to: User) =>
    request('POST', `${path}/transfer-ownership`, {
      key: owner.key,
      body: { new_owner_user_id: to.id },
    });
  /** The role of each member by id; the owner's is `owner`. */
  const roles = async () => {
    const rows = await db.many<{ user_id: string; role: string }>(sql`
      select m.user_id, case when m.user_id = o.owner_user_id then 'owner' else r.slug end as role
        from membership m join role r on r.id = m.role_id
          join organization o on o.id = m.organization_id
       where m.organization_id = ${workspace}`);
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
  };
  return { owner, a, b, workspace, path, update, remove, leave, transfer, roles };
}

/** Runs the race again and again; returns the outcomes that were seen, as sorted texts. */
async function race(round: () => Promise<string>): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let i = 0; i < ROUNDS; i++) seen.add(await round());
  return seen;
}

const assertOneOf = (seen: Set<string>, possible: string[]) => {
  for (const outcome of seen) assert.ok(possible.includes(outcome), outcome);
};

test('race: two admins demote each other: one is demoted, the other one is refused', async () => {
  const seen = await race(async () => {
    const { a, b, update, roles } = await tenant();
    const replies = await Promise.all([
      update(a, b, { role: 'member' }),
      update(b, a, { role: 'member' }),
    ]);
    const now = await roles();
    return `${replies.map(({ status }) => status)} ${now[a.id]} ${now[b.id]}`;
  });
  assertOneOf(seen, ['200,403 admin member', '403,200 member admin']);
});

test('race: two admins remove each other: one is gone, the other one is refused', async () => {
  const seen = await race(async () => {
    const { a, b, remove, roles } = await tenant();
    const replies = await Promise.all([remove(a, b), remove(b, a)]);
    const now = await roles();
    return `${replies.map(({ status }) => status)} ${now[a.id]} ${now[b.id]}`;
  });
  assertOneOf(seen, ['200,403 admin undefined', '403,200 undefined admin']);
});

test('race: removal and transfer of ownership to the same person: either they own it, or they are gone', async () => {
  const seen = await race(async () => {
    const { owner, a, b, remove, transfer, roles } = await tenant();
    const replies = await Promise.all([remove(b, a), transfer(a)]);
    const now = await roles();
    const code = replies[0].body.code ?? replies[1].body.detail?.[0].type;
    return `${replies.map(({ status }) => status)} ${code} ${now[owner.id]} ${now[a.id]}`;
  });
  assertOneOf(seen, ['200,422 not_a_member owner undefined', '409,200 is_owner admin owner']);
});

test('race: leaving and transfer of ownership to the same person: either they own it, or they are gone', async () => {
  const seen = await race(async () => {
    const { owner, a, leave, transfer, roles } = await tenant();
    const replies = await Promise.all([leave(a), transfer(a)]);
    const now = await roles();
    return `${replies.map(({ status }) => status)} ${now[owner.id]} ${now[a.id]}`;
  });
  assertOneOf(seen, ['200,422 owner undefined', '409,200 admin owner']);
});

test('race: the owner leaves while they transfer ownership: they are gone afterwards, or still the admin they became', async () => {
  const seen = await race(async () => {
    const { owner, a, leave, transfer, roles } = await tenant();
    const replies = await Promise.all([transfer(a), leave(owner)]);
    const now = await roles();
    return `${replies.map(({ status }) => status)} ${now[owner.id]} ${now[a.id]}`;
  });
  assertOneOf(seen, ['200,200 undefined owner', '200,409 admin owner']);
});

test('race: removed twice: one gets the receipt, the other finds no member', async () => {
  const seen = await race(async () => {
    const { owner, a, b, workspace, remove } = await tenant();
    await fixtures.teamMember(await fixtures.team(workspace), a);
    const replies = await Promise.all([remove(owner, a), remove(b, a)]);
    const left = replies.map(({ body }) => body.teams_left ?? 0);
    return `${replies.map(({ status }) => status).sort()} ${left.sort()}`;
  });
  assertOneOf(seen, ['200,404 0,1']);
});

test('race: left twice: one receipt, and no right to leave', async () => {
  const seen = await race(async () => {
    const { a, leave } = await tenant();
    const replies = await Promise.all([leave(a), leave(a)]);
    return `${replies.map(({ status }) => status).sort()}`;
  });
  assertOneOf(seen, ['200,403']);
});

test('race: a role is given while it is deleted: it is kept by the member, or not found', async () => {
  const seen = await race(async () => {
    const { owner, a, b, workspace, path, update, roles } = await tenant();
    const role = await fixtures.role(workspace);
    const [reply, deleted] = await Promise.all([
      update(owner, a, { role_id: role }),
      request('DELETE', `${path}/roles/${role}`, { key: b.key }),
    ]);
    const kept = (await roles())[a.id] === 'admin' ? 'admin' : 'given';
    return `${reply.status} ${reply.body.detail?.[0].type} ${deleted.status} ${kept}`;
  });
  assertOneOf(seen, ['200 undefined 409 given', '422 role_not_found 204 admin']);
});

test('race: role changes and removals of many members by many admins all end, and none is answered 500 or 503', async () => {
  const { owner, a, b, update, remove, leave, workspace, roles } = await tenant();
  const members: User[] = [];
  for (let i = 0; i < 6; i++) {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, 'member');
    members.push(user);
  }
  const replies = await Promise.all(
    members.flatMap((user) => [
      update(a, user, { role: 'viewer' }),
      update(b, user, { role: 'admin' }),
      remove(owner, user),
      leave(user),
    ]),
  );
  for (const { status, text } of replies) assert.ok([200, 403, 404].includes(status), text);
  const now = await roles();
  for (const user of members) assert.equal(now[user.id], undefined);
  assert.equal(Object.keys(now).length, 3);
});

test('an open invitation to a project of the workspace ends with the membership', async () => {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const invited = await request('POST', `/api/projects/${project}/invitations`, {
    key: owner.key,
    body: { email: member.email.toUpperCase(), role: 'admin' },
  });
  await fixtures.member(workspace, member);
  const path = `/api/organizations/${workspace}/members/${member.id}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 200);
  const accepted = await request('POST', `/api/invitations/${invited.body.id}/accept`, {
    key: member.key,
  });
  assert.deepEqual([invited.status, accepted.status], [201, 404]);
});
