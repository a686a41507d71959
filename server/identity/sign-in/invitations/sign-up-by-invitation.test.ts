import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openBrowser } from '../../../testing/clients/browser.ts';
import { PASSWORD } from '../../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

/** An invitation before the sign-in: what its link shows, and the account that the link of its mail makes. */

const harness = await startHarness();
const { db, fixtures, inviteLink, mailedInviteLink, unchanged } = harness;
const owner = await fixtures.user({ name: 'Ada' });
const workspace = await fixtures.workspace(owner, { name: 'Acme' });

const send = (path: string, body: object, browser = openBrowser(harness)) =>
  browser.request('POST', `/auth/${path}`, { body });
const unique = () => `new-${Math.random().toString(36).slice(2)}@example.com`;

/** An invitation, with what the links of its generations hold. */
async function invited(email: string, options: object = {}) {
  const id = await fixtures.invitation(workspace, { email, by: owner, ...options });
  const held = (generation = 1) => {
    const { searchParams } = new URL(mailedInviteLink(id, generation));
    const [token, proof] = [searchParams.get('token') ?? '', searchParams.get('proof') ?? ''];
    return { token, proof };
  };
  return { id, ...held(), held };
}

test('200: who has a link reads who invites whom to what; whether there is an account, by the mailed one alone', async () => {
  for (const isNew of [true, false]) {
    const email = isNew ? unique() : (await fixtures.user()).email;
    const { id, token, proof } = await invited(email);
    const shown = {
      kind: 'workspace',
      name: 'Acme',
      role_name: 'Member',
      invited_by_name: 'Ada',
      email,
    };
    await db.many(sql`update invitation set invited_by_name = 'Ada' where id = ${id}`);
    const look = (more = {}) =>
      send('invitations/look', { invitation_id: id, token, ...more }).then(({ body }) => body);
    assert.deepEqual(await look(), { ...shown, sign_up: false });
    assert.deepEqual(await look({ proof: token }), { ...shown, sign_up: false });
    assert.deepEqual(await look({ proof }), { ...shown, sign_up: isNew });
  }
});

test('200: the link of the mail makes the account of its address, which joins the workspace', async () => {
  const email = unique();
  const { id, token, proof } = await invited(email);
  const made = await send('invitations/sign-up', { invitation_id: id, proof });
  assert.equal(made.status, 200);
  const again = await send('invitations/sign-up', { invitation_id: id, proof });
  const browser = openBrowser(harness);
  const use = (given: string) =>
    send('links/use', { token: given, name: 'Eve', password: PASSWORD }, browser);
  assert.equal((await use(made.body.token)).status, 404, 'a later one replaces it');
  assert.equal((await use(again.body.token)).status, 200);
  const joined = await browser.request('POST', `/api/invitations/${id}/accept`, {
    body: { token },
  });
  assert.deepEqual([joined.status, joined.body.organization_id], [200, workspace]);
  const { body } = await browser.request('GET', '/api/account');
  assert.deepEqual([body.email, body.name], [email, 'Eve']);
});

test('404: neither the link that those who invite can copy, nor one that is answered, renewed, expired or guessed makes an account', async () => {
  const cases = {
    copied: await invited(unique()),
    declined: await invited(unique(), { status: 'declined' }),
    expired: await invited(unique()),
    renewed: await invited(unique()),
    known: await invited((await fixtures.user()).email),
  };
  await db.many(sql`update invitation set expires_at = now() where id = ${cases.expired.id}`);
  await db.many(sql`update invitation set generation = 2 where id = ${cases.renewed.id}`);
  const copied = new URL(inviteLink(cases.copied.id, 1)).searchParams.get('token');
  await unchanged(async () => {
    for (const [name, { id, proof }] of Object.entries(cases)) {
      const body = { invitation_id: id, proof: name === 'copied' ? copied : proof };
      const reply = await send('invitations/sign-up', body);
      assert.deepEqual([reply.status, reply.body.code], [404, 'invitation_unusable'], name);
    }
    for (const { id, token } of [
      cases.declined,
      cases.expired,
      cases.renewed,
      { id: cases.copied.id, token: cases.copied.proof },
    ]) {
      const reply = await send('invitations/look', { invitation_id: id, token });
      assert.deepEqual([reply.status, reply.body.code], [404, 'invitation_unusable']);
    }
  });
  const renewed = cases.renewed.held(2);
  const reply = await send('invitations/sign-up', {
    invitation_id: cases.renewed.id,
    proof: renewed.proof,
  });
  assert.equal(reply.status, 200);
});

test('race: of many requests at once all get a link, and the last one alone works', async () => {
  const email = unique();
  const { id, proof } = await invited(email);
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => send('invitations/sign-up', { invitation_id: id, proof })),
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    Array(6).fill(200),
  );
  const uses = await Promise.all(
    replies.map(({ body }) =>
      send('links/use', { token: body.token, name: 'Eve', password: PASSWORD }),
    ),
  );
  assert.deepEqual(uses.map(({ status }) => status).sort(), [200, ...Array(5).fill(404)]);
});
