import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sql, sql } from '../../db/sql.ts';
import { duringOn } from '../../testing/harness/during.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness();
const { fixtures, request, snapshot } = harness;
const during = duringOn(harness);

/** Every table but those that the other transaction changes. */
const others = async () => {
  const { membership, revocation, ...tables } = await snapshot();
  assert.ok(membership && revocation);
  return tables;
};

const MEMBER = sql`(select id from role where organization_id is null and scope = 'workspace'
                                          and slug = 'member')`;
const CHANGES: [string, (workspace: string, user: string) => Sql][] = [
  [
    'removed',
    (workspace, user) => sql`
      delete from membership where organization_id = ${workspace} and user_id = ${user}`,
  ],
  [
    'made a member',
    (workspace, user) => sql`
      update membership set role_id = ${MEMBER}
       where organization_id = ${workspace} and user_id = ${user}`,
  ],
];

for (const [what, change] of CHANGES) {
  test(`race: an admin who is ${what} while the invitation waits invites no one`, async () => {
    const [owner, admin] = [await fixtures.user(), await fixtures.user()];
    const workspace = await fixtures.workspace(owner);
    await fixtures.member(workspace, admin, 'admin');
    const before = await others();
    const [reply] = await during(
      async (tx) => {
        await tx.one(sql`select id from organization where id = ${workspace} for update`);
        await tx.many(change(workspace, admin.id));
      },
      () =>
        request('POST', `/api/organizations/${workspace}/invitations`, {
          key: admin.key,
          body: { email: 'eve@example.com', role: 'viewer' },
        }),
    );
    assert.deepEqual([reply?.status, reply?.body.code], [403, 'forbidden']);
    assert.deepEqual(await others(), before);
  });
}
