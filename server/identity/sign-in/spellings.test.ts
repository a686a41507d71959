import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailboxOf } from '../../db/addresses.ts';
import { sql } from '../../db/sql.ts';
import { openBrowser } from '../../testing/clients/browser.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { createUser } from '../users/users.ts';
import { accountKey } from './account-key.ts';
import { linkMail } from './link-mail.ts';
import { linkTokens } from './sign-in-link.ts';

const harness = await startHarness();
const { db, fixtures } = harness;
const tokens = linkTokens('a secret for tests that is long enough');

/** To PostgreSQL's lower(), the capital I with a dot is an i: it is another mailbox all the same. */
const alike = (email: string) => email.replace('i', '\u0130');

test('a link goes to the address that was typed, and is that of an account only if it is its mailbox', async () => {
  const email = `kim-${Math.random().toString(36).slice(2)}@example.com`;
  const user = await fixtures.user({ email });
  const render = linkMail(db, tokens, { publicUrl: 'https://x.example', signUp: 'open' });
  for (const [typed, to, purpose] of [
    [email.toUpperCase().replace('EXAMPLE.COM', 'example.com'), user.email, 'reset'],
    [alike(email), alike(email), 'sign_up'],
  ] as const) {
    const asked = await openBrowser(harness).request('POST', '/auth/links', {
      body: { email: typed },
    });
    assert.equal(asked.status, 202);
    const mail = await db.one<{ recipient: string; subjectId: string }>(sql`
      select recipient, subject_id as "subjectId" from mail
       where kind = 'sign_in_link' and recipient = ${typed}`);
    for (const attempt of ['first', 'second']) {
      const content = await render(mail);
      assert.notEqual(content, 'obsolete', attempt);
      assert.equal((content as { to?: string }).to, to, attempt);
    }
    const made = await db.one<{ purpose: string }>(sql`
      select purpose from sign_in_link where id = ${mail.subjectId}`);
    assert.equal(made.purpose, purpose);
  }
});

test('two people whose addresses only look alike have an account each', async () => {
  const email = `kim-${Math.random().toString(36).slice(2)}@example.com`;
  const create = (address: string) =>
    db.transaction((tx) => createUser(tx, { email: address, name: 'Kim' }));
  const [one, other] = [await create(email), await create(alike(email))];
  assert.ok(one !== undefined && other !== undefined && other.id !== one.id);
  assert.equal(await create(email.toUpperCase()), undefined);
});

test('attempts are counted by what accounts are found by, for every letter', async () => {
  const rows = await db.many<{ letter: string; mailbox: string }>(sql`
    select chr(i) as letter, mailbox(chr(i)) as mailbox
      from generate_series(1, 131071) i where i not between 55296 and 57343`);
  const differ = rows.filter(({ letter, mailbox }) => mailboxOf(letter) !== mailbox);
  assert.deepEqual(differ, []);
  assert.equal(rows.filter(({ letter, mailbox }) => letter !== mailbox).length, 26);
  assert.equal(accountKey('KIM@example.com'), accountKey('kim@example.com'));
  assert.notEqual(accountKey(alike('kim@example.com')), accountKey('kim@example.com'));
});
