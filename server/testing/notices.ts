import assert from 'node:assert/strict';
import { noticeMail } from '../billing/notices/notice-mail.ts';
import { sql } from '../db/sql.ts';
import type { Content } from '../platform/mail/mail.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** For tests of mails about balances and cards: which were queued for a person, and what they say. */
export const noticesOn = ({ db, request }: Harness) => ({
  /** The kinds of what was queued for a person, in order. */
  mails: async ({ email }: User) =>
    (
      await db.many<{ kind: string }>(sql`
        select n.kind from mail m join billing_notice n on n.id = m.subject_id
         where m.kind = 'billing_notice' and m.recipient = ${email} order by m.id`)
    ).map(({ kind }) => kind),
  /** What the newest one would say now. */
  rendered: async ({ email }: User): Promise<Content | 'obsolete'> => {
    const { subject_id: subjectId } = await db.one<{ subject_id: string }>(sql`
      select subject_id from mail where kind = 'billing_notice' and recipient = ${email}
       order by id desc limit 1`);
    return noticeMail(db, 'https://example.com')({ recipient: email, subjectId });
  },
  /** The text before its link. */
  said: (mail: Content | 'obsolete'): string =>
    mail === 'obsolete'
      ? mail
      : mail.before
          .flat()
          .map((part) => (typeof part === 'string' ? part : part.name))
          .join(''),
  /** Switches such mail off for a person. */
  quiet: async (user: User): Promise<void> => {
    const body = { mail_warnings: false };
    assert.equal((await request('PUT', '/api/account', { key: user.key, body })).status, 200);
  },
});
