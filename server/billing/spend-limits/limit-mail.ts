import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { dayOf } from '../../http/day-of.ts';
import { usdText } from '../ledger/money.ts';
import { monthBegins, spentUnder } from '../ledger/spend-limits.ts';
import type { Subject } from './limits.ts';
import { mayBeWarned } from './recipients.ts';

/** The row of the outbox that a mail is made for; its subject is the warning. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Warning {
  level: 'warned' | 'reached';
  subject: Subject;
  name: string | null;
  workspace: string | null;
  workspace_id: string | null;
  amount: bigint;
  spent: bigint;
  resets_at: Date;
}

/**
 * Makes the mail of a warning from what its limit is now: `obsolete` once the month is over, the limit
 * was changed or removed, or its recipient may not see it or does not want it any more, and for a
 * first warning when all is spent, which has a mail of its own.
 */
export const limitMail =
  (db: Pick<Database, 'read'>, publicUrl: string) => async (mail: Queued) => {
    const [warning] = await db.read<Warning>(openWarning(mail));
    if (warning === undefined) return 'obsolete';
    const { level, subject, name, workspace, workspace_id, amount, spent, resets_at } = warning;
    const reached = level === 'reached';
    if (reached ? spent < amount : spent >= amount) return 'obsolete';
    const whose =
      workspace === null ? ['your balance'] : ['the balance of “', { name: workspace }, '”'];
    const on = name === null ? [] : [`, for the ${subject} “`, { name }, '”,'];
    const page = workspace_id === null ? 'account' : `workspaces/${workspace_id}`;
    return {
      subject: [
        reached ? 'A spend limit is reached: ' : 'Four fifths of a spend limit are spent: ',
        workspace === null ? 'your balance' : { name: workspace },
      ],
      before: [
        [
          'The spend limit on ',
          ...whose,
          ...on,
          ` is ${usdText(amount)} USD this month. ${usdText(spent)} USD of it are spent.`,
        ],
        [
          reached
            ? 'Tasks under this limit pause. What they did is kept, and they go on by themselves ' +
              'when the limit is raised or removed, or when the next month begins on ' +
              `${dayOf(resets_at)} (UTC).`
            : 'When all of it is spent, tasks under this limit pause until the limit is raised or ' +
              `removed, or until ${dayOf(resets_at)} (UTC).`,
        ],
      ],
      link: { label: 'See the billing', url: `${publicUrl}/${page}/billing` },
      after: [
        [
          'You get this because you can change the limit. You can turn such mail off in your ' +
            'account.',
        ],
      ],
    };
  };

const openWarning = ({ subjectId, recipient }: Queued) => sql`
  select w.level, l.subject, coalesce(p.name, person.name, person.email, t.title) as name,
         o.name as workspace, o.id as workspace_id, l.amount,
         ceil(${spentUnder} / 1000)::bigint as spent,
         (${monthBegins} + interval '1 month') at time zone 'UTC' as resets_at
    from spend_limit_warning w
    join spend_limit l on l.account_id = w.account_id and l.amount = w.amount
                      and l.subject_id is not distinct from w.subject_id
    join billing_account a on a.id = l.account_id and a.status <> 'closed'
    join app_user u on u.id = w.user_id and ${mayBeWarned}
    left join organization o on o.id = a.organization_id
    left join project p on p.id = l.project_id
    left join app_user person on person.id = l.user_id
    left join task t on t.id = l.task_id
   where w.id = ${subjectId} and w.month = ${monthBegins}
     and mailbox(u.email) = mailbox(${recipient})`;
