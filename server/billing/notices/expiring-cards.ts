import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { isDefaultCard } from '../saved-card.ts';
import { mayBeWarned } from '../spend-limits/recipients.ts';

/** SQL: when a card `p` ends: with its month, in UTC. */
export const expiresAt = sql`
  ((make_date(p.exp_year, p.exp_month, 1) + interval '1 month') at time zone 'UTC')`;

/**
 * Mails 30 days before a card ends, and once it has ended, if it is the default of its person or
 * auto-reload charges it: to its person, and for a workspace to its owner and admins. Once for each
 * expiry: a card that its bank renews has another one. Any number of processes may look at once.
 * Cards that ended more than 30 days ago are old news. Returns how many mails were queued.
 */
export async function noteExpiringCards(db: Pick<Tx, 'one'>): Promise<number> {
  const { queued } = await db.one<{ queued: number }>(sql`
    with due as (
      select p.id, p.user_id, e.expires_at, ${isDefaultCard} as is_default,
             case when e.expires_at <= now() then 'card_expired' else 'card_expiring' end as kind,
             p.id || ' ' || p.exp_year || '-' || p.exp_month as occasion
        from payment_method p
       cross join lateral (select ${expiresAt} as expires_at) e
       where p.detached_at is null
         -- Row by row as an index has them; what is exact follows.
         and (p.exp_year, p.exp_month) >= (extract(year from now() - interval '62 days')::integer,
                                           extract(month from now() - interval '62 days')::integer)
         and (p.exp_year, p.exp_month) <= (extract(year from now() + interval '31 days')::integer,
                                           extract(month from now() + interval '31 days')::integer)
         and e.expires_at > now() - interval '30 days'
         and e.expires_at <= now() + interval '30 days'),
    charged as (
      select due.*, a.id as account_id
        from due join billing_account a on a.user_id = due.user_id
       where due.is_default
      union
      select due.*, r.account_id
        from due join auto_reload r on r.payment_method_id = due.id and r.enabled),
    noted as (
      insert into billing_notice
        (kind, user_id, account_id, occasion, payment_method_id, expires_at)
      select distinct on (u.id, c.id)
             c.kind, u.id, a.id, c.occasion, c.id, c.expires_at
        from charged c
        join billing_account a on a.id = c.account_id and a.status <> 'closed'
        join app_user u on ${mayBeWarned}
       -- Of several balances, a workspace's says more.
       order by u.id, c.id, a.organization_id nulls last, a.id
      on conflict on constraint billing_notice_once do nothing
      returning id, user_id),
    mailed as (
      insert into mail (kind, recipient, subject_id)
      select 'billing_notice', u.email, noted.id
        from noted join app_user u on u.id = noted.user_id)
    select count(*)::integer as queued from noted`);
  return queued;
}
