import { personMay } from '../../access/person-may.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** The row of the outbox that a mail is made for; its subject is the notice. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Paused {
  name: string;
  reason: 'failing' | 'right_ended';
  project: string;
  path: string;
}

/**
 * Tells an admin of a project that a routine was paused: `obsolete` once it goes on or is gone, or its
 * recipient is no admin any more.
 */
export const routinePausedMail =
  (db: Pick<Database, 'read'>, publicUrl: string) => async (mail: Queued) => {
    const [paused] = await db.read<Paused>(pausedSince(mail));
    if (paused === undefined) return 'obsolete';
    const { name, reason, project, path } = paused;
    return {
      subject: ['A routine was paused: ', { name }],
      before: [
        [
          'The routine “',
          { name },
          '” of “',
          { name: project },
          reason === 'failing'
            ? '” was paused, because three of its runs in a row have failed.'
            : '” was paused, because the person or service account that it acts for may begin tasks there no more.',
        ],
        ['It begins nothing until you resume it. What it misses meanwhile is not made up for.'],
      ],
      link: { label: 'See the routine', url: `${publicUrl}${path}` },
      after: [
        ['You get this because you are an admin. You can turn such mail off in your account.'],
      ],
    };
  };

const pausedSince = ({ subjectId, recipient }: Queued) => sql`
  select r.name, r.paused_reason as reason, p.name as project,
         '/projects/' || p.id || '/routines?routine=' || r.id as path
    from routine_notice n
    join routine r on r.id = n.routine_id and r.paused_reason is not null
    join project p on p.id = r.project_id
    join app_user u on u.id = n.user_id and u.is_active and u.mail_warnings
   where n.id = ${subjectId} and mailbox(u.email) = mailbox(${recipient})
     and exists (select from project_person person
                  where person.project_id = p.id and person.user_id = u.id
                    and ${personMay('manage_routines')})`;
