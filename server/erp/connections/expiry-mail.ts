import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { dayOf } from '../../http/day-of.ts';
import { mayBeWarned } from './warn-of-expiry.ts';

/** The row of the outbox that a mail is made for; its subject is the warning. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Warning {
  level: 'expires' | 'expired';
  name: string;
  project: string;
  project_id: string;
  expires_at: Date;
}

/**
 * Makes the mail of a warning: `obsolete` once the secret was replaced, the connection is gone, or
 * its recipient may not see it or does not want such mail any more.
 */
export const expiryMail =
  (db: Pick<Database, 'read'>, publicUrl: string) => async (mail: Queued) => {
    const [warning] = await db.read<Warning>(openWarning(mail));
    if (warning === undefined) return 'obsolete';
    const { level, name, project, project_id, expires_at } = warning;
    const expired = level === 'expired';
    return {
      subject: [
        expired
          ? 'The key of a connection to Odoo has expired: '
          : 'The key of a connection to Odoo expires: ',
        { name },
      ],
      before: [
        [
          'The secret of the connection “',
          { name },
          '” of the project “',
          { name: project },
          expired
            ? `” expired on ${dayOf(expires_at)} (UTC).`
            : `” expires on ${dayOf(expires_at)} (UTC).`,
        ],
        [
          expired
            ? 'Agents cannot use it any more. Make a new API key in Odoo and enter it.'
            : 'Make a new API key in Odoo and enter it before, so that agents can go on.',
        ],
      ],
      link: { label: 'See the project', url: `${publicUrl}/projects/${project_id}` },
      after: [
        [
          'You get this because you are an admin of the project. You can turn such mail off in your ' +
            'account.',
        ],
      ],
    };
  };

const openWarning = ({ subjectId, recipient }: Queued) => sql`
  select w.level, c.name, p.name as project, p.id as project_id, w.expires_at
    from odoo_expiry_warning w
    join odoo_connection c on c.id = w.connection_id and c.secret_expires_at = w.expires_at
    join project p on p.id = c.project_id
    join project_person person on person.project_id = p.id and person.user_id = w.user_id
    join app_user u on u.id = w.user_id and ${mayBeWarned}
   where w.id = ${subjectId} and mailbox(u.email) = mailbox(${recipient})
     and (w.level = 'expired' or w.expires_at > now())`;
