import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Content, Sentence } from '../../platform/mail/mail.ts';
import { wordsOf } from './kinds.ts';
import { mayBeTold } from './may-be-told.ts';
import type { UnsubscribeLink } from './unsubscribe-link.ts';

/** The row of the outbox that a mail is made for; its subject is what it tells. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Told {
  user_id: string;
  type: string;
  reason: string | null;
  task_id: string;
  title: string;
  project_id: string;
  project: string;
}

/** More than these, a mail does not list. */
const MOST = 30;

/**
 * What has happened to tasks, for one person: what they may still open, have not muted, and what
 * still waits where it says so. `obsolete` if nothing is left.
 */
export const notificationMail =
  (db: Pick<Database, 'read'>, publicUrl: string, unsubscribe: UnsubscribeLink) =>
  async (mail: Queued): Promise<Content | 'obsolete'> => {
    const told = await db.read<Told>(stillToTell(mail));
    const [first] = told;
    if (first === undefined) return 'obsolete';
    const tasks = new Set(told.map(({ task_id }) => task_id));
    const stop = unsubscribe(first.user_id);
    return {
      subject: tasks.size === 1 ? subjectOf(told) : [`${tasks.size} tasks have news for you`],
      before:
        tasks.size === 1
          ? [
              ...told.map(
                ({ type, reason }): Sentence => [`${wordsOf(type, reason ?? undefined)}.`],
              ),
              ['The task is “', { name: first.title }, '” in “', { name: first.project }, '”.'],
            ]
          : told
              .slice(0, MOST)
              .map(
                ({ type, reason, title, project }): Sentence => [
                  `${wordsOf(type, reason ?? undefined)}: “`,
                  { name: title },
                  '” in “',
                  { name: project },
                  '”.',
                ],
              ),
      link:
        tasks.size === 1
          ? {
              label: 'Open the task',
              url: `${publicUrl}/projects/${first.project_id}/tasks/${first.task_id}`,
            }
          : { label: 'Open what waits for you', url: `${publicUrl}/` },
      after: [
        ['You decide in the dashboard what you are told of: Account, Notifications.'],
        [`To get no such mail any more: ${stop}`],
      ],
      unsubscribe: stop,
    };
  };

const subjectOf = (told: readonly Told[]): Sentence => {
  const last = told.at(-1) as Told;
  return [`${wordsOf(last.type, last.reason ?? undefined)}: `, { name: last.title }];
};

// Of each kind the newest, in the order in which they happened.
const stillToTell = ({ subjectId, recipient }: Queued) => sql`
  select * from (
    select distinct on (n.task_id, n.type)
           n.user_id, n.type, n.data->>'reason' as reason, n.task_id, t.title, p.id as project_id,
           p.name as project, n.id
      from notification n
      join app_user u on u.id = n.user_id and u.is_active
      join task t on t.id = n.task_id and t.archived_at is null
      join project p on p.id = t.project_id and p.archived_at is null
      left join notification_setting s on s.user_id = n.user_id
     where n.mail_id = ${subjectId} and mailbox(u.email) = mailbox(${recipient})
       and coalesce(s.mail, 'at_once') <> 'off' and n.type <> all (coalesce(s.events_off, '{}'))
       and ${mayBeTold}
     order by n.task_id, n.type, n.id desc) told
   order by id limit ${MOST}`;
