import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Config } from '../../platform/config/config.ts';

interface Change {
  action: string;
  occurred_at: Date;
  /** What the person called it: a passkey, a key, or the id of a provider. */
  name: string | null;
  is_active: boolean;
}

/**
 * Makes the mail about a change of how someone signs in. The row that recorded the change has queued
 * it, in the same transaction (`queue_security_notice`), so there is one mail for each change.
 */
export const securityMail =
  (db: Pick<Database, 'read'>, { publicUrl }: Pick<Config, 'publicUrl'>) =>
  async (mail: { recipient: string; subjectId: string }) => {
    const [change] = await db.read<Change>(sql`
      select a.action, a.occurred_at, u.is_active,
             coalesce(a.after->>'name', a.before->>'name',
                      a.after->>'provider', a.before->>'provider') as name
        from audit_event a join app_user u on mailbox(u.email) = mailbox(${mail.recipient})
       where a.id = ${mail.subjectId}`);
    const text = change && TEXTS[change.action];
    if (change === undefined || text === undefined || !change.is_active) return 'obsolete';
    const { subject, what } = text;
    const at = `${change.occurred_at.toISOString().slice(0, 16).replace('T', ' at ')} UTC`;
    return {
      subject: [`${subject} at Guildhall`],
      before: [[...what({ name: change.name ?? '' }), ` This was on ${at}.`]],
      link: { label: 'Look at your account', url: `${publicUrl}/account/${text.page}` },
      after: [
        ['If it was you, there is nothing to do.'],
        [
          `If it was not, ask for a link at ${publicUrl}/sign-in and set a new password: that signs ` +
            'out everyone who uses your account. Then remove the keys, passkeys and linked accounts ' +
            'that you do not know, and write to the operator of this server.',
        ],
      ],
    };
  };

interface Text {
  subject: string;
  what: (name: { name: string }) => (string | { name: string })[];
  /** Below /account. */
  page: 'security' | 'keys' | 'connections' | 'sessions';
}

const TEXTS: Record<string, Text> = {
  'password.set': {
    subject: 'Your password was set',
    what: () => ['A new password was set for your account; all other sessions have ended.'],
    page: 'security',
  },
  'totp.enable': {
    subject: 'An authenticator app was added',
    what: () => ['An authenticator app was added to your account.'],
    page: 'security',
  },
  'totp.disable': {
    subject: 'Your authenticator app was removed',
    what: () => ['The authenticator app was removed from your account.'],
    page: 'security',
  },
  'recovery_codes.renew': {
    subject: 'Your recovery codes were renewed',
    what: () => ['Your account has new recovery codes; the earlier ones have ended.'],
    page: 'security',
  },
  'passkey.create': {
    subject: 'A passkey was added',
    what: (name) => ['The passkey “', name, '” was added to your account.'],
    page: 'security',
  },
  'passkey.delete': {
    subject: 'A passkey was removed',
    what: (name) => ['The passkey “', name, '” was removed from your account.'],
    page: 'security',
  },
  'key.create': {
    subject: 'An API key was created',
    what: (name) => ['The API key “', name, '” was created for your account.'],
    page: 'keys',
  },
  'application.connect': {
    subject: 'An application was connected',
    what: (name) => [
      'The application “',
      name,
      '” was connected to your account, and can act as you.',
    ],
    page: 'connections',
  },
  'identity.create': {
    subject: 'An account was linked',
    what: (name) => ['An account at “', name, '” was linked to yours, and signs you in.'],
    page: 'connections',
  },
  'identity.delete': {
    subject: 'A linked account was removed',
    what: (name) => ['The account at “', name, '” was unlinked from yours.'],
    page: 'connections',
  },
  'sign_in_link.create': {
    subject: 'A link to your account was made',
    what: () => [
      'An operator of this server made a link that signs in to your account once, within an hour, to ' +
        'give it to you.',
    ],
    page: 'sessions',
  },
  'user.reset_two_factor': {
    subject: 'Your second factors were removed',
    what: () => [
      'The operator of this server removed your authenticator app, passkeys and recovery codes, and ' +
        'signed you out everywhere.',
    ],
    page: 'security',
  },
};
