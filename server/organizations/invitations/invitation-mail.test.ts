import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Content } from '../../platform/mail/mail.ts';
import { inviteLink, renderersOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures } = await startHarness();
const renderers = renderersOn(db);

const inviter = await fixtures.user({ name: 'Ada' });

async function invited(options: Parameters<typeof fixtures.invitation>[1] = {}) {
  const workspace = await fixtures.workspace(inviter, { name: 'Acme' });
  const id = await fixtures.invitation(workspace, {
    email: 'eve@example.com',
    role: 'viewer',
    by: inviter,
    ...options,
  });
  return { workspace, id };
}

const rendered = (
  subjectId: string,
  { generation = 1, recipient = 'eve@example.com', kind = 'workspace_invitation' } = {},
) => renderers[kind]?.({ id: randomUUID(), kind, recipient, subjectId, generation, attempts: 1 });

const words = (content: Content) =>
  [content.subject, ...content.before, ...content.after].map((sentence) =>
    sentence.map((part) => (typeof part === 'string' ? part : part.name)).join(''),
  );

test('an invitation to a workspace says who, to what, as which role, until when, and for whom', async () => {
  const { id } = await invited();
  await db.many(
    sql`
      update invitation set expires_at = '2099-11-28 08:15:30Z', invited_by_name = 'Ada'
        where id = ${id}`,
  );
  const content = (await rendered(id)) as Content;
  const [subject, who, until, advice] = words(content);
  assert.equal(subject, 'Ada invited you to Acme');
  assert.equal(who, 'Ada invited you to the workspace “Acme” on Guildhall, with the role Viewer.');
  assert.equal(
    until,
    'The invitation is for eve@example.com only, and it ends on 28 November 2099 at 08:15 UTC.',
  );
  assert.match(
    advice ?? '',
    /^If you did not expect it, ignore this message: nothing happens unless you accept\./,
  );
  assert.equal(content.link.url, inviteLink(id, 1));
});

test('an invitation to a project names the project', async () => {
  const project = await fixtures.project({ userId: inviter.id });
  const { id } = await db.one<{ id: string }>(sql`
    insert into invitation (project_id, scope, email, role_id, invited_by_name)
    select ${project}, 'project', 'eve@example.com', id, '' from role
     where organization_id is null and scope = 'project' and slug = 'member'
    returning id`);
  const content = (await rendered(id, { kind: 'project_invitation' })) as Content;
  assert.match(words(content)[1] ?? '', /^Someone invited you to the project “Project \w+”/);
  assert.equal(await rendered(id), 'obsolete', 'it is no invitation to a workspace');
});

test('the text is that of now: a renamed workspace has its new name', async () => {
  const { id, workspace } = await invited();
  await db.many(sql`update organization set name = 'Apex' where id = ${workspace}`);
  assert.equal(words((await rendered(id)) as Content)[0], 'Inviter invited you to Apex');
});

test('nothing is said about an invitation that is not open, is of another generation, or is for another person', async () => {
  for (const status of ['accepted', 'declined', 'revoked'])
    assert.equal(await rendered((await invited({ status })).id), 'obsolete', status);
  assert.equal(await rendered((await invited({ expiresInHours: -1 })).id), 'obsolete');
  assert.equal(await rendered(randomUUID()), 'obsolete');
  const { id } = await invited();
  assert.equal(await rendered(id, { generation: 2 }), 'obsolete');
  assert.equal(await rendered(id, { recipient: 'mallory@example.com' }), 'obsolete');
  assert.notEqual(await rendered(id, { recipient: 'EVE@example.com' }), 'obsolete');
});
