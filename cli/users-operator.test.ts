import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall users operator`, beside a running server; who is the last one counts. */

const { db, fixtures, databaseUrl, request } = await startHarness({ own: true });
const env = { DATABASE_URL: databaseUrl };
const operator = (...args: string[]) => jsonOf(['users', 'operator', ...args], { env });
const refused = async (args: string[], reason: RegExp) => {
  const state = sql`
    select (select count(*) from operator) as operators, (select count(*) from audit_event) as rows`;
  const before = await db.many(state);
  const { code, out, err } = await runCommand(['users', 'operator', ...args], { env });
  assert.deepEqual({ code, out }, { code: 1, out: '' });
  assert.match(err, reason);
  assert.deepEqual(await db.many(state), before);
};

test('a person becomes an operator and is none any more, from the next request on, and the trail of operators has both', async () => {
  const [ada, bob] = [await fixtures.user(), await fixtures.user()];
  const status = async ({ key }: { key: string }) =>
    (await request('GET', '/api/operator/server', { key })).status;
  assert.deepEqual(await operator(ada.email), {
    user_id: ada.id,
    email: ada.email,
    is_operator: true,
    changed: true,
  });
  assert.equal(await status(ada), 200);
  await refused([ada.id, '--remove'], /is the last operator: make somebody else one first/);
  await operator(bob.id);
  assert.equal((await operator(ada.email, '--remove')).is_operator, false);
  assert.deepEqual([await status(ada), await status(bob)], [403, 200]);
  const { body } = await request('GET', '/api/operator/audit-events', bob);
  assert.deepEqual(
    body.map(({ action, target_id, actor_user_id }: Record<string, unknown>) => [
      action,
      target_id,
      actor_user_id,
    ]),
    [
      ['operator.remove', ada.id, undefined],
      ['operator.add', bob.id, undefined],
      ['operator.add', ada.id, undefined],
    ],
  );
  assert.equal((await operator(bob.id, '--remove', '--last')).changed, true);
  assert.equal(await status(bob), 403);
});

test('service accounts, people who are deactivated and unknown ones are refused', async () => {
  const workspace = await fixtures.workspace(await fixtures.user());
  const bot = await fixtures.serviceAccount(workspace);
  await refused([bot.id], /A service account cannot be an operator/);
  await refused([(await fixtures.user({ active: false })).email], /is deactivated/);
  await refused(['no@x.yz'], /No user has the email address/);
});
