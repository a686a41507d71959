import { rolesThatMay } from '../../access/roles.ts';
import { sql } from '../../db/sql.ts';

/** Balances that need the caller: their own, and those of workspaces where they may add funds. */
const accounts = sql`
  select a.id, a.status, a.balance, a.created_at, null::uuid as organization_id, null::text as name
    from billing_account a
   where a.user_id = caller.user_id and authorized.organization_id is null
  union all
  select a.id, a.status, a.balance, a.created_at, o.id, o.name
    from membership m
    join organization o on o.id = m.organization_id
    join role on role.id = m.role_id
    join billing_account a on a.organization_id = o.id
   where m.user_id = caller.user_id
     and (authorized.organization_id is null or authorized.organization_id = o.id)
     and (caller.two_factor or not o.require_2fa)
     and case when o.owner_user_id = m.user_id then 'owner' else role.acts_as end
         = any(${rolesThatMay('add_funds')}::text[])`;

// The postings since the balance was last positive. There are few: a frozen balance is not spent.
const frozenSince = sql`
  select min(created_at) as since
    from ledger_transfer
   where account_id = a.id
     and version > coalesce((select version from ledger_transfer
                              where account_id = a.id and balance >= 0
                              order by version desc limit 1), 0)`;

/** The entries of the inbox about money: id, ids, what to do, and since when. */
export const fundsWaiting = sql`
  select 'funds', a.id, null::uuid, null::uuid, a.organization_id, null::uuid,
         case when a.status = 'frozen'
              then coalesce('The balance of "' || a.name || '"', 'Your balance') || case
                     when a.balance < 0 and m.mode = 'credits' then
                       ' is negative: ask the operator of this server for credits'
                     when a.balance < 0 then ' is negative: add funds to use it again'
                     else ' is frozen: ask the operator of this server' end
              else coalesce('Auto-reload of "' || a.name || '"',
                'Your auto-reload') || case r.paused_reason
                     when 'declined' then
                       ' is paused because its card was declined: choose another card, or add funds'
                     when 'authentication_required' then
                       ' is paused because its card needs a confirmation: add funds'
                     when 'card_lost' then
                       ' is paused because its card was lost: choose another card'
                     when 'refunded' then ' is paused after a refund: switch it off and on again'
                     else ' is paused after a dispute: switch it off and on again' end
         end,
         case when a.status = 'frozen' then coalesce(f.since, a.created_at) else r.updated_at end
    from authorized
    cross join caller
    cross join lateral (${accounts}) a
    left join billing_mode m on true
    left join auto_reload r on r.account_id = a.id and r.enabled and r.paused_reason is not null
                            and (m.mode in ('credits', 'off')) is not true
    left join lateral (${frozenSince}) f on a.status = 'frozen'
   where (a.status = 'frozen' and m.mode is distinct from 'off') or r.account_id is not null`;
