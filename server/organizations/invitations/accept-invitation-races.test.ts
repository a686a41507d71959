import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

const ROUNDS = 12;

const accept = (id: string, { key }: User) =>
  request('POST', `/api/invitations/${id}/accept`, { key });

async function tenant() {
  const [owner, eve] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace);
  const path = `/api/organizations/${workspace}`;
  const { id } = (
    await request('POST', `${path}/invitations`, {
      key: owner.key,
      body: { email: eve.email, role: 'member', team_ids: [team] },
    })
  ).body;
  return { owner, eve, workspace, team, path, id: id as string };
}

const state = async (workspace: string, eve: User, id: string) => {
  const [row] = await db.many<{ status: string | null; member: boolean; teams: number }>(sql`
    select (select status from invitation where id = ${id}) as status,
           exists (select from membership
                    where organization_id = ${workspace} and user_id = ${eve.id}) as member,
           (select count(*)::int from team_member where user_id = ${eve.id}) as teams`);
  return row;
};

const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

test('accepted by the invited person many times and by another: joined once, and the other learns nothing', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, eve, workspace, id } = await tenant();
    const stranger = await fixtures.user();
    const [a, x, b, y, c] = await Promise.all(
      [eve, stranger, eve, owner, eve].map((by) => accept(id, by)),
    );
    assert.deepEqual(statuses([x, y] as never).sort(), [403, 403]);
    assert.deepEqual(statuses([a, b, c] as never).sort(), [200, 404, 404]);
    assert.deepEqual(await state(workspace, eve, id), {
      status: 'accepted',
      member: true,
      teams: 1,
    });
    const audits = await db.many(sql`
      select id from audit_event where target_id = ${id} and action = 'invitation.accept'`);
    assert.equal(audits.length, 1);
  }
});

test('accepted while it is revoked or declined: one of the two happens, and only that', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, eve, workspace, path, id } = await tenant();
    const [accepted, other] = await Promise.all([
      accept(id, eve),
      round % 2
        ? request('DELETE', `${path}/invitations/${id}`, { key: owner.key })
        : request('POST', `/api/invitations/${id}/decline`, { key: eve.key }),
    ]);
    const joined = accepted.status === 200;
    assert.deepEqual([accepted.status, other.status], joined ? [200, 404] : [404, 204]);
    const ended = round % 2 ? 'revoked' : 'declined';
    assert.deepEqual(await state(workspace, eve, id), {
      status: joined ? 'accepted' : ended,
      member: joined,
      teams: joined ? 1 : 0,
    });
  }
});

test('accepted while it is sent again or renewed: it is accepted, and no open invitation of a member is left by a resend', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, eve, workspace, path, id } = await tenant();
    const [accepted, again] = await Promise.all([
      accept(id, eve),
      round % 2
        ? request('POST', `${path}/invitations/${id}/resend`, { key: owner.key })
        : request('POST', `${path}/invitations`, {
            key: owner.key,
            body: { email: eve.email, role: 'viewer' },
          }),
    ]);
    assert.equal(accepted.status, 200, accepted.text);
    assert.ok((round % 2 ? [200, 404] : [201, 409]).includes(again.status), again.text);
    const { status, member } = (await state(workspace, eve, id)) as Record<string, unknown>;
    assert.deepEqual([status, member], ['accepted', true]);
    const { body } = await request('GET', `${path}/invitations`, { key: owner.key });
    assert.deepEqual(body, []);
    const role = again.status === 201 ? 'viewer' : 'member';
    assert.equal(accepted.body.role, role);
  }
});

test('accepted while the workspace is deleted: joined before it goes, or not at all', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, eve, workspace, path, id } = await tenant();
    const [accepted, deleted] = await Promise.all([
      accept(id, eve),
      request('DELETE', path, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 200, deleted.text);
    assert.ok([200, 404].includes(accepted.status), accepted.text);
    assert.deepEqual(await state(workspace, eve, id), { status: null, member: false, teams: 0 });
  }
});

test('accepted while a team of it is deleted: joined without that team', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, eve, workspace, team, path, id } = await tenant();
    const [accepted, deleted] = await Promise.all([
      accept(id, eve),
      request('DELETE', `${path}/teams/${team}`, { key: owner.key }),
    ]);
    assert.deepEqual([accepted.status, deleted.status], [200, 204]);
    assert.deepEqual(await state(workspace, eve, id), {
      status: 'accepted',
      member: true,
      teams: 0,
    });
  }
});

test('accepted by many while ownership moves to and fro: everybody joins, one owner, no conflict', async () => {
  const { owner, workspace, path } = await tenant();
  const heir = await fixtures.user();
  await fixtures.member(workspace, heir, 'admin');
  const people = await Promise.all(Array.from({ length: 12 }, () => fixtures.user()));
  const ids: string[] = [];
  for (const { email } of people)
    ids.push(await fixtures.invitation(workspace, { email, by: owner }));
  const move = (from: User, to: User) =>
    request('POST', `${path}/transfer-ownership`, {
      key: from.key,
      body: { new_owner_user_id: to.id },
    });
  const moves = async () => {
    for (let n = 0; n < 4; n++) {
      const reply = await (n % 2 ? move(heir, owner) : move(owner, heir));
      assert.equal(reply.status, 200, reply.text);
    }
  };
  const [replies] = await Promise.all([
    Promise.all(people.map((by, n) => accept(ids[n] as string, by))),
    moves(),
  ]);
  assert.deepEqual(new Set(statuses(replies)), new Set([200]));
});
