import { sameMailbox } from '../../db/addresses.ts';
import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Config } from '../../platform/config/config.ts';
import { hashOf } from './session.ts';
import { LINK_MINUTES, type LinkToken, type Purpose } from './sign-in-link.ts';

/** The row of the outbox that a mail is made for; its subject is the link. */
interface Queued {
  recipient: string;
  subjectId: string;
}

/**
 * Makes the mail of a link from what its address is now: one to set a password for an active user,
 * one to sign up for an address that is new and may, and `obsolete` for any other. The link is made
 * now and not before, and lasts an hour from here; a second attempt sends the same.
 *
 * The mail goes to the address of the account. The one that was typed may only be spelled like it:
 * to PostgreSQL, a capital I with a dot is an i, but it is another mailbox.
 */
export const linkMail =
  (
    db: Pick<Database, 'transaction'>,
    linkToken: LinkToken,
    { publicUrl, signUp }: Pick<Config, 'publicUrl' | 'signUp'>,
  ) =>
  async (mail: Queued) => {
    const token = linkToken(mail.subjectId);
    const made = await db.transaction((tx) => makeLink(tx, mail, hashOf(token), signUp));
    if (made === undefined) return 'obsolete';
    const { subject, why, label } = TEXTS[made.purpose];
    return {
      to: made.to,
      subject: [subject],
      before: [[why]],
      link: { label, url: `${publicUrl}/links/${token}` },
      after: [
        [`The link works once, for ${LINK_MINUTES} minutes.`],
        ['If you did not ask for it, ignore this message: nothing changes without the link.'],
      ],
    };
  };

const TEXTS = {
  reset: {
    subject: 'Set a new password for Guildhall',
    why: 'Someone, probably you, asked for a link to sign in to Guildhall with this address.',
    label: 'Set a new password',
  },
  sign_up: {
    subject: 'Sign up for Guildhall',
    why: 'Someone, probably you, asked to sign up for Guildhall with this address.',
    label: 'Choose your name and your password',
  },
};

async function makeLink(
  tx: Tx,
  { recipient, subjectId }: Queued,
  tokenHash: Buffer,
  signUp: Config['signUp'],
): Promise<{ purpose: Exclude<Purpose, 'sign_in'>; to: string } | undefined> {
  const user = await tx.maybeOne<{ id: string; email: string; is_active: boolean }>(sql`
    select id, email, is_active from app_user where mailbox(email) = mailbox(${recipient})
       for no key update`);
  const made = await tx.maybeOne<{ purpose: 'reset' | 'sign_up'; open: boolean }>(sql`
    select purpose, ended_at is null and expires_at > now() as open
      from sign_in_link where id = ${subjectId}`);
  const to = user?.email ?? recipient;
  if (made !== undefined) return made.open ? { purpose: made.purpose, to } : undefined;
  if (user === undefined ? !(await maySignUp(tx, recipient, signUp)) : !user.is_active)
    return undefined;
  const purpose = user === undefined ? 'sign_up' : 'reset';
  const email = user === undefined ? recipient : null;
  await tx.many(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where ended_at is null and purpose = ${purpose}
       and (user_id = ${user?.id ?? null} or mailbox(email) = mailbox(${email}))`);
  await tx.many(sql`
    insert into sign_in_link (id, user_id, email, purpose, token_hash, expires_at)
    values (${subjectId}, ${user?.id ?? null}, ${email}, ${purpose}, ${tokenHash},
            clock_timestamp() + make_interval(mins => ${LINK_MINUTES}))`);
  return { purpose, to };
}

/** Whether someone with this address may sign up: everyone, or whoever has an open invitation. */
export const maySignUp = async (
  tx: Tx,
  email: string,
  signUp: Config['signUp'],
): Promise<boolean> =>
  signUp === 'open' ||
  (await tx.maybeOne(sql`
    select id from invitation
     where ${sameMailbox(sql`email`, sql`${email}::text`)}
       and status = 'pending' and expires_at > now()
     limit 1`)) !== undefined;
