import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const harness = await startHarness();
const { db, fixtures, request } = harness;

test('200: what is known of the caller, without a secret, and nothing of others; the trail has it', async () => {
  const [person, other] = [await fixtures.user({ name: 'Ada' }), await fixtures.user()];
  const workspace = await fixtures.workspace(person, { name: 'Works' });
  await fixtures.member(workspace, other);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, person);
  await fixtures.revision(task, 'The plan of another', other);
  await request('POST', `/api/tasks/${task}/plan/approve`, { key: person.key });
  await fixtures.planComment(task, person);
  await fixtures.diffComment(task, other);
  await harness.owner(sql`
    insert into task_message (task_id, number, role, author_user_id, content)
    select ${task}, n, 'user', ${person.id}, 'Message ' || n from generate_series(1, 1200) n`);
  await db.many(sql`
    insert into task_message (task_id, number, role, author_user_id, content)
    values (${task}, 2000, 'user', ${other.id}, 'What another said')`);
  await fixtures.fund({ userId: person.id }, '5.50');
  await fixtures.card(person);
  const browser = await signedIn(harness, person);
  const { status, body, text, headers } = await browser.request('GET', '/auth/account/export');
  assert.equal(status, 200);
  assert.match(headers.get('content-disposition') ?? '', /account\.json/);
  assert.deepEqual(
    [body.version, body.profile[0].email, body.profile[0].name],
    [1, person.email, 'Ada'],
  );
  assert.deepEqual(
    body.messages.map(({ text }: { text: string }) => text),
    Array.from({ length: 1200 }, (_, n) => `Message ${n + 1}`),
  );
  assert.deepEqual(
    [body.comments.length, body.approvals[0].task_id, body.tasks[0].id, body.workspaces[0].role],
    [1, task, task, 'owner'],
  );
  assert.deepEqual([body.balance[0].balance, body.transfers[0].amount], ['5.50', '5.50']);
  assert.deepEqual([body.cards[0].last4, body.api_keys[0].name], ['4242', 'test']);
  assert.ok(body.sessions.length === 1 && body.invoices.length === 0);
  assert.ok(
    body.audit_events.some(({ action }: { action: string }) => action === 'plan.approve'),
    'also what they did in a workspace',
  );
  for (const secret of [other.email, 'What another said', 'plan of another', person.key.slice(4)])
    assert.ok(!text.includes(secret), secret);
  const trail = await db.many(sql`
    select from audit_event where action = 'account.export' and actor_user_id = ${person.id}`);
  assert.equal(trail.length, 1);
});
