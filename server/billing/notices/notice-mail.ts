import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { usdText } from '../ledger/money.ts';
import { mayBeWarned } from '../spend-limits/recipients.ts';
import type { PausedReason } from '../top-ups/pause-auto-reload.ts';
import { adviceOf, whyOf } from './decline-words.ts';
import { expiresAt } from './expiring-cards.ts';

/** Our own words, and names that people chose. */
type Sentence = (string | { name: string })[];

/** The row of the outbox that a mail is made for; its subject is the notice. */
interface Queued {
  recipient: string;
  subjectId: string;
}

interface Notice {
  kind: 'auto_reload_failed' | 'low_balance' | 'card_expiring' | 'card_expired';
  workspace: string | null;
  workspace_id: string | null;
  balance: bigint;
  threshold: bigint | null;
  charged: bigint | null;
  failure_code: string | null;
  decline_code: string | null;
  card: string | null;
  expires_at: Date | null;
  reloads: boolean;
  reloads_card: boolean;
  paused_reason: PausedReason | null;
  /** The operator grants credits, and no card is charged. */
  by_credits: boolean;
}

/**
 * Makes the mail of a notice from what its balance or card is now: `obsolete` once the balance is
 * high enough again, a later charge succeeded or auto-reload was switched off, the card was renewed
 * or removed, or its recipient may not see it or does not want it any more.
 */
export const noticeMail =
  (db: Pick<Database, 'read'>, publicUrl: string) => async (mail: Queued) => {
    const [notice] = await db.read<Notice>(openNotice(mail));
    if (notice === undefined) return 'obsolete';
    const { workspace, workspace_id } = notice;
    const whose: Sentence =
      workspace === null ? ['your balance'] : ['the balance of “', { name: workspace }, '”'];
    const { title, before } = textOf(notice, whose);
    const page = workspace_id === null ? 'account' : `workspaces/${workspace_id}`;
    return {
      subject: [`${title}: `, workspace === null ? 'your balance' : { name: workspace }],
      before,
      link: { label: 'See the billing', url: `${publicUrl}/${page}/billing` },
      after: [
        [
          'You get this because you pay with this balance or card, or administer its workspace. ' +
            'You can turn such mail off in your account.',
        ],
      ],
    };
  };

function textOf(notice: Notice, whose: Sentence): { title: string; before: Sentence[] } {
  switch (notice.kind) {
    case 'auto_reload_failed':
      return failedReload(notice, whose);
    case 'low_balance':
      return lowBalance(notice, whose);
    default:
      return endingCard(notice, whose);
  }
}

function failedReload(notice: Notice, whose: Sentence): { title: string; before: Sentence[] } {
  const { charged, card, failure_code: code, decline_code, paused_reason } = notice;
  const confirm = code === 'authentication_required';
  return {
    title: confirm ? 'Auto-reload needs a confirmation' : 'Auto-reload failed',
    before: [
      [
        'Auto-reload of ',
        ...whose,
        ` could not charge ${usdText(charged ?? 0n)} USD to the ${card}: `,
        `${whyOf(code, decline_code)}. Nothing was charged.`,
      ],
      [
        adviceOf(code, decline_code),
        paused_reason === null
          ? ' Until then it is tried again, at most once an hour.'
          : ' Auto-reload is paused until you do.',
      ],
    ],
  };
}

function lowBalance(notice: Notice, whose: Sentence): { title: string; before: Sentence[] } {
  const { balance, threshold, reloads, paused_reason, by_credits } = notice;
  const advice = by_credits
    ? 'Ask the operator of this server for credits, so that tasks do not pause.'
    : !reloads
      ? 'Add funds, or turn on auto-reload, so that tasks do not pause.'
      : paused_reason === null
        ? 'Auto-reload is on, but has not filled it up yet. Look at its monthly cap and its card.'
        : 'Auto-reload is paused: choose another card for it, or add funds.';
  return {
    title: 'The balance is low',
    before: [
      [
        'There are ',
        `${usdText(balance)} USD left in `,
        ...whose,
        `, which is less than ${usdText(threshold ?? 0n)} USD.`,
      ],
      [advice],
    ],
  };
}

function endingCard(notice: Notice, whose: Sentence): { title: string; before: Sentence[] } {
  const { kind, card, expires_at, reloads_card } = notice;
  const ended = kind === 'card_expired';
  // The last day of its month, not the first of the next.
  const day = dayOf(new Date((expires_at ?? new Date(0)).getTime() - 1));
  return {
    title: ended ? 'A card has expired' : 'A card expires soon',
    before: [
      [
        `The ${card} ${ended ? 'expired' : 'expires'} on ${day}. `,
        ...(reloads_card ? ['Auto-reload of ', ...whose, ' charges it.'] : ['It is your default.']),
      ],
      [
        reloads_card
          ? 'Save a new card and choose it for auto-reload. If the bank renews the card, nothing ' +
            'has to be done.'
          : 'Save a new card and make it the default. If the bank renews the card, nothing has to ' +
            'be done.',
      ],
    ],
  };
}

const openNotice = ({ subjectId, recipient }: Queued) => sql`
  select n.kind, o.name as workspace, o.id as workspace_id, a.balance, n.threshold,
         t.amount as charged, t.failure_code, t.decline_code, n.expires_at,
         p.brand || ' card ending in ' || p.last4 as card,
         coalesce(r.enabled, false) as reloads,
         coalesce(r.enabled and r.payment_method_id = p.id, false) as reloads_card,
         r.paused_reason, exists (select from billing_mode where mode = 'credits') as by_credits
    from billing_notice n
    join billing_account a on a.id = n.account_id and a.status <> 'closed'
    join app_user u on u.id = n.user_id and ${mayBeWarned}
    left join organization o on o.id = a.organization_id
    left join top_up t on t.id = n.top_up_id
    left join payment_method p on p.id = coalesce(n.payment_method_id, t.payment_method_id)
    left join auto_reload r on r.account_id = a.id
   where n.id = ${subjectId} and mailbox(u.email) = mailbox(${recipient})
     and case n.kind
           when 'low_balance' then a.balance < n.threshold
           when 'auto_reload_failed' then
             t.status = 'failed' and r.enabled
             and not exists (
               select from top_up later
                where later.account_id = a.id and later.created_at > t.created_at
                  and later.status not in ('created', 'processing', 'failed'))
           else p.detached_at is null and n.expires_at = ${expiresAt}
                and (n.kind = 'card_expired') = (n.expires_at <= now()) end`;

const dayOf = (time: Date): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(time);
