import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user({ name: 'Ada' });
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const people = (key: string, query = '') =>
    request('GET', `/api/tasks/${task}/people${query}`, { key });
  return { owner, workspace, task, people };
}

test('200: whoever wrote, commented, approved or answered has a name, also after leaving; no other member', async () => {
  const { owner, workspace, task, people } = await tenant();
  const [max, nameless, silent] = [
    await fixtures.user({ name: 'Max' }),
    await fixtures.user(),
    await fixtures.user({ name: 'Silent' }),
  ];
  await db.many(sql`update app_user set name = null where id = ${nameless.id}`);
  for (const member of [max, nameless, silent]) await fixtures.member(workspace, member, 'member');
  await fixtures.revision(task);
  await request('POST', `/api/tasks/${task}/plan/approve`, { key: max.key });
  await request('POST', `/api/tasks/${task}/messages`, { key: nameless.key, body: { text: 'Go' } });
  await request('DELETE', `/api/organizations/${workspace}/members/${max.id}`, { key: owner.key });
  const { status, body } = await people(silent.key);
  assert.equal(status, 200);
  const email = body.find(({ user_id }: { user_id: string }) => user_id === nameless.id).name;
  assert.match(email, /@/);
  const shown = new Set(body.map((person: object) => JSON.stringify(person)));
  assert.deepEqual(
    shown,
    new Set(
      [
        { user_id: owner.id, name: 'Ada', is_org_member: true },
        { user_id: max.id, name: 'Max', is_org_member: false },
        { user_id: nameless.id, name: email, is_org_member: true },
      ].map((person) => JSON.stringify(person)),
    ),
  );
  const page = await people(silent.key, '?limit=1');
  assert.equal(page.body.length, 1);
  assert.match(page.headers.get('link') ?? '', /rel="next"/);
});
