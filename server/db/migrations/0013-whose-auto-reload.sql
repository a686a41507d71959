-- The card and the figures of an auto-reload are one person's: nobody decides what somebody else's card is charged.
-- A table of its own, because servers of the last release read whole rows of auto_reload.

create table auto_reload_set_by (
  account_id uuid primary key references auto_reload,
  user_id    uuid not null references app_user
);
create index auto_reload_set_by_user on auto_reload_set_by (user_id);
grant select, insert, update on auto_reload_set_by to guildhall_app;
comment on table auto_reload_set_by is
  'who set the card and the figures of an auto-reload; a workspace''s charges no card of anybody else';

insert into auto_reload_set_by (account_id, user_id)
select r.account_id, coalesce(a.user_id, p.user_id)
  from auto_reload r
  join billing_account a on a.id = r.account_id
  left join payment_method p on p.id = r.payment_method_id
 where coalesce(a.user_id, p.user_id) is not null;

-- Until now every admin of a workspace could change the figures while auto-reload was off. Where somebody other than the
-- card's owner ever did, the figures are cleared, and it stays off until its owner sets them again.
update auto_reload r
   set enabled = false, threshold = null, amount = null, monthly_cap = null, updated_at = clock_timestamp()
  from billing_account a left join auto_reload_set_by s on s.account_id = a.id
 where a.id = r.account_id and a.kind = 'workspace'
   and (s.user_id is null or exists (
     select from audit_event e
      where e.target_id = r.account_id::text and e.action = 'auto_reload.update' and e.outcome = 'done'
        and e.actor_user_id is distinct from s.user_id
        and (e.before -> 'threshold', e.before -> 'amount', e.before -> 'monthly_cap')
            is distinct from (e.after -> 'threshold', e.after -> 'amount', e.after -> 'monthly_cap')));
