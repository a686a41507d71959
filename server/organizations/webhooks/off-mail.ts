import { personMay } from '../../access/person-may.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** The row of the outbox that a mail is made for; its subject is the notice. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Off {
  name: string;
  reason: 'failing' | 'gone';
  place: string;
  path: string;
}

/**
 * Tells an admin that a webhook was switched off: `obsolete` once it is on again or gone, or its
 * recipient is no admin any more.
 */
export const webhookOffMail =
  (db: Pick<Database, 'read'>, publicUrl: string) => async (mail: Queued) => {
    const [off] = await db.read<Off>(switchedOff(mail));
    if (off === undefined) return 'obsolete';
    const { name, reason, place, path } = off;
    return {
      subject: ['A webhook was switched off: ', { name }],
      before: [
        [
          'The webhook “',
          { name },
          '” of “',
          { name: place },
          reason === 'gone'
            ? '” was switched off, because its endpoint answered that it is gone (410).'
            : '” was switched off, because no attempt to reach its endpoint has succeeded for three days.',
        ],
        [
          'What still waits for it is kept for 30 days and sent once you switch it on again. What ' +
            'happens until then is not sent.',
        ],
      ],
      link: { label: 'See the webhook', url: `${publicUrl}${path}` },
      after: [
        ['You get this because you are an admin. You can turn such mail off in your account.'],
      ],
    };
  };

const switchedOff = ({ subjectId, recipient }: Queued) => sql`
  select e.name, e.disabled_reason as reason, coalesce(o.name, p.name) as place,
         case when p.id is null then '/workspaces/' || o.id else '/projects/' || p.id end
           || '/webhooks' as path
    from webhook_notice n
    join webhook_endpoint e on e.id = n.endpoint_id and e.disabled_reason is not null
    join app_user u on u.id = n.user_id and u.is_active and u.mail_warnings
    left join organization o on o.id = e.organization_id
    left join project p on p.id = e.project_id
   where n.id = ${subjectId} and mailbox(u.email) = mailbox(${recipient})
     and (exists (select from membership m join role r on r.id = m.role_id
                   where m.organization_id = o.id and m.user_id = u.id
                     and (r.acts_as = 'admin' or o.owner_user_id = u.id))
          or exists (select from project_person person
                      where person.project_id = p.id and person.user_id = u.id
                        and ${personMay('manage_webhooks')}))`;
