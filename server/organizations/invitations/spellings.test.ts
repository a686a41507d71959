import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { linkMail } from '../../identity/sign-in/link-mail.ts';
import { linkTokens } from '../../identity/sign-in/sign-in-link.ts';
import { openBrowser } from '../../testing/clients/browser.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// To PostgreSQL's lower(), a capital I with a dot is an i and a Kelvin sign is a k: they are other mailboxes
// all the same.

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const unique = () => Math.random().toString(36).slice(2);
const addressOfKim = () => `kim-${unique()}@example.com`;
const ALIKE: Record<string, (email: string) => string> = {
  'a capital I with a dot': (email) => email.replace('i', '\u0130'),
  'a Kelvin sign': (email) => email.replace('k', '\u212A'),
};

async function ownWorkspace() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  return { owner, workspace, invitations: `/api/organizations/${workspace}/invitations` };
}

for (const [letter, alike] of Object.entries(ALIKE))
  test(`403: an invitation to an address with ${letter} is another mailbox’s, for a workspace and a project`, async () => {
    const email = addressOfKim();
    const kim = await fixtures.user({ email });
    const [same] = await db.many<{ same: boolean }>(
      sql`select lower(${email}) = lower(${alike(email)}) as same`,
    );
    assert.equal(same?.same, true, 'the database takes them for one');
    const { owner, workspace } = await ownWorkspace();
    const project = await fixtures.project({ organizationId: workspace });
    for (const id of [
      await fixtures.invitation(workspace, { email: alike(email), by: owner }),
      await fixtures.projectInvitation(project, { email: alike(email) }),
    ])
      for (const answer of ['accept', 'decline']) {
        const reply = await unchanged(() =>
          request('POST', `/api/invitations/${id}/${answer}`, { key: kim.key, body: {} }),
        );
        assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'], answer);
      }
    for (const list of ['/api/invitations', '/api/inbox'])
      assert.deepEqual((await request('GET', list, { key: kim.key })).body, [], list);
  });

test('an ordinary address is the same mailbox in any case, and so is one with other letters', async () => {
  for (const [invited, own] of [
    [`KIM-${unique()}@Example.com`, (email: string) => email.toLowerCase()],
    [
      `k\u0130m-\u00e9-${unique()}@example.com`,
      (email: string) => email.replace('k', 'K').replace('m', 'M'),
    ],
  ] as const) {
    const { owner, workspace, invitations } = await ownWorkspace();
    const user = await fixtures.user({ email: own(invited) });
    const made = await request('POST', invitations, {
      key: owner.key,
      body: { email: invited, role: 'viewer' },
    });
    assert.equal(made.status, 201, made.text);
    for (const list of ['/api/invitations', '/api/inbox'])
      assert.equal((await request('GET', list, { key: user.key })).body.length, 1, list);
    const path = `/api/invitations/${made.body.id}/accept`;
    assert.equal((await request('POST', path, { key: user.key, body: {} })).status, 200);
    const again = await request('POST', invitations, {
      key: owner.key,
      body: { email: own(invited), role: 'viewer' },
    });
    assert.deepEqual([again.status, again.body.code], [409, 'already_member'], workspace);
  }
});

test('201: another mailbox than that of a member may be invited, and beside one that is only spelled like it', async () => {
  const { owner, workspace, invitations } = await ownWorkspace();
  const project = await fixtures.project({ organizationId: workspace });
  const [email, later] = [addressOfKim(), addressOfKim()];
  const dotted = ALIKE['a capital I with a dot'] as (email: string) => string;
  await fixtures.member(workspace, await fixtures.user({ email }), 'viewer');
  for (const path of [invitations, `/api/projects/${project}/invitations`]) {
    const invite = (address: string) =>
      request('POST', path, { key: owner.key, body: { email: address, role: 'viewer' } });
    assert.equal((await invite(dotted(email))).status, 201);
    const first = await invite(dotted(later));
    const second = await invite(later);
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.notEqual(second.body.id, first.body.id);
    const again = await invite(later.toUpperCase());
    assert.deepEqual([again.status, again.body.id], [201, second.body.id]);
    const open = await request('GET', path, { key: owner.key });
    const emails = open.body.map((each: { email: string }) => each.email);
    assert.ok(emails.includes(dotted(later)), `${emails}`);
  }
  const { key } = await fixtures.user({ email: later });
  assert.equal((await request('GET', '/api/invitations', { key })).body.length, 2);
});

test('an invitation opens the sign-up to its own mailbox alone', async () => {
  const { workspace } = await ownWorkspace();
  const email = addressOfKim();
  const invited = email.replace('i', '\u0130');
  await fixtures.invitation(workspace, { email: invited });
  const render = linkMail(db, linkTokens('a secret for tests that is long enough'), {
    publicUrl: 'https://x.example',
    signUp: 'invited',
  });
  for (const [address, expected] of [
    [email, 'obsolete'],
    [invited, invited],
  ]) {
    await openBrowser(harness).request('POST', '/auth/links', { body: { email: address } });
    const mail = await db.one<{ recipient: string; subjectId: string }>(sql`
      select recipient, subject_id as "subjectId" from mail
       where kind = 'sign_in_link' and recipient = ${address}`);
    const content = await render(mail);
    assert.equal(content === 'obsolete' ? content : content.to, expected);
  }
});

test('open invitations of a former member to projects end, and those of other mailboxes stay', async () => {
  const { owner, workspace } = await ownWorkspace();
  const email = addressOfKim();
  const kim = await fixtures.user({ email });
  await fixtures.member(workspace, kim, 'viewer');
  const invite = async (address: string) =>
    fixtures.projectInvitation(await fixtures.project({ organizationId: workspace }), {
      email: address,
    });
  const [own, others] = [
    await invite(email.toUpperCase()),
    await invite(email.replace('i', '\u0130')),
  ];
  const path = `/api/organizations/${workspace}/members/${kim.id}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 200);
  const states = await db.many<{ id: string; status: string }>(sql`
    select id, status from invitation where id in (${own}, ${others})`);
  assert.deepEqual(Object.fromEntries(states.map(({ id, status }) => [id, status])), {
    [own]: 'revoked',
    [others]: 'pending',
  });
});
