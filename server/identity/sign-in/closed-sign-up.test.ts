import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openBrowser } from '../../testing/clients/browser.ts';
import { PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { linkMail } from './link-mail.ts';
import { linkTokens } from './sign-in-link.ts';

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;
const tokens = linkTokens('a secret for tests that is long enough');

test('404: a link to sign up makes no account once the invitation behind it was revoked', async () => {
  const email = `new-${Math.random().toString(36).slice(2)}@example.com`;
  const id = await fixtures.invitation(await fixtures.workspace(await fixtures.user()), { email });
  const browser = openBrowser(harness);
  await browser.request('POST', '/auth/links', { body: { email } });
  const mail = await db.one<{ recipient: string; subjectId: string }>(sql`
    select recipient, subject_id as "subjectId" from mail
     where kind = 'sign_in_link' and recipient = ${email}`);
  const render = linkMail(db, tokens, { publicUrl: 'https://x.example', signUp: 'invited' });
  assert.notEqual(await render(mail), 'obsolete');
  const body = { token: tokens(mail.subjectId), name: 'Eve', password: PASSWORD };
  const use = () => browser.request('POST', '/auth/links/use', { body });
  const become = (status: string) =>
    db.many(sql`update invitation set status = ${status} where id = ${id}`);

  await become('revoked');
  await unchanged(async () => {
    const { status, body } = await use();
    assert.deepEqual([status, body.code], [404, 'link_unusable']);
  });
  await become('pending');
  assert.equal((await use()).status, 200);
});
