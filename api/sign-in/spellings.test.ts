import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { openBrowser } from '../testing/browser.ts';
import { startHarness } from '../testing/harness.ts';
import { accountKey } from './account-key.ts';
import { linkMail } from './link-mail.ts';
import { linkTokens } from './sign-in-link.ts';

const harness = await startHarness();
const { db, fixtures } = harness;
const tokens = linkTokens('a secret for tests that is long enough');

/** To PostgreSQL, the capital I with a dot is an i: it is another mailbox all the same. */
const alike = (email: string) => email.replace('i', '\u0130');

test('a link goes to the address of the account, not to one that is only spelled like it', async () => {
  const email = `kim-${Math.random().toString(36).slice(2)}@example.com`;
  const user = await fixtures.user({ email });
  const [same] = await db.many<{ same: boolean }>(
    sql`select lower(${email}) = lower(${alike(email)}) as same`,
  );
  assert.equal(same?.same, true, 'the database takes them for one');
  const asked = await openBrowser(harness).request('POST', '/auth/links', {
    body: { email: alike(email) },
  });
  assert.equal(asked.status, 202);
  const mail = await db.one<{ recipient: string; subjectId: string }>(sql`
    select recipient, subject_id as "subjectId" from mail
     where kind = 'sign_in_link' and recipient = ${alike(email)}`);
  const render = linkMail(db, tokens, { publicUrl: 'https://x.example', signUp: 'open' });
  for (const attempt of ['first', 'second']) {
    const content = await render(mail);
    assert.notEqual(content, 'obsolete', attempt);
    assert.equal((content as { to?: string }).to, user.email, attempt);
  }
});

test('attempts on one account are counted as one, however its address is spelled', async () => {
  const rows = await db.many<{ letter: string; lower: string }>(sql`
    select chr(i) as letter, lower(chr(i)) as lower
      from generate_series(65, 131071) i
     where i not between 55296 and 57343 and lower(chr(i)) <> chr(i)`);
  assert.ok(rows.length > 1_000, `${rows.length} letters have a lower case`);
  const apart = rows.filter(
    ({ letter, lower }) =>
      accountKey(`a${letter}@example.com`) !== accountKey(`a${lower}@example.com`),
  );
  assert.deepEqual(apart, []);
});
