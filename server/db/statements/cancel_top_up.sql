-- cancel_top_up: POST /api/billing/top-ups/{top_up_id}/cancel
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, t.id as top_up_id, a.organization_id,
             case when t.user_id <> caller.user_id then 'forbidden' end as denied_because
        from caller
        cross join (select id, user_id, account_id from top_up where id = $2
                    ) t
        join billing_account a on a.id = t.account_id),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select) page on true;

select t.*, coalesce(l.balance, a.balance) as balance,
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($1::text[])
         and (u.two_factor or not o.require_2fa))) as sees_billing,
             e.until as attended_until
        from top_up t
        join app_user u on u.id = t.user_id
        left join attended_top_up e on e.top_up_id = t.id
        left join ledger_transfer l on l.idempotency_key = 'topup:' || t.id || ':credit'
        join billing_account a on a.id = coalesce(l.account_id, t.account_id)
       where t.id = $2;

insert into top_up_cancellation (top_up_id, key_id, session_id, request_id)
      values ($1, $2, $3, $4) on conflict do nothing;

update sandbox_intent set status = 'canceled'
         where id = $1
           and status in ('requires_confirmation', 'requires_payment_method');

select * from sandbox_intent where id = $1;

begin;

with asked as (
        select key_id, session_id, request_id from top_up_cancellation
         where top_up_id = $1 and $2::text = 'canceled'),
      failed as (
        update top_up
           set status = 'failed', decline_code = $3,
               failure_code = case when exists (select from asked) then $4
                                   else $5 end,
               next_check_at = null, updated_at = now()
         where id = $6 and status in ('created', 'processing') returning *),
      noted as (
        insert into outbox (topic, key, payload)
        select 'auto_reload_failed', id, jsonb_build_object('account_id', account_id)
          from failed where automatic)
      select failed.*, a.organization_id,
             (select json_build_object('keyId', key_id, 'sessionId', session_id,
                                       'requestId', request_id) from asked) as canceled_by
        from failed join billing_account a on a.id = failed.account_id;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select t.account_id, t.request_id, t.status, t.automatic, t.failure_code, t.decline_code,
           r.paused_reason, t.created_at >= r.declines_since as counts,
           (
  select count(*) from top_up f
   where f.account_id = t.account_id and f.automatic and f.status = 'failed'
     and f.failure_code not in ('not_executed', 'canceled') and f.created_at >= r.declines_since
     and not exists (
       select from top_up s
        where s.account_id = t.account_id and s.automatic
          and s.status not in ('created', 'processing', 'failed') and s.created_at > f.created_at)) as declines,
           p.user_id = t.user_id as by_card_owner
      from top_up t
      join auto_reload r on r.account_id = t.account_id
      left join payment_method p on p.id = r.payment_method_id
     where t.id = $1 for update of r;

commit;

select t.*, coalesce(l.balance, a.balance) as balance,
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($1::text[])
         and (u.two_factor or not o.require_2fa))) as sees_billing,
             e.until as attended_until
        from top_up t
        join app_user u on u.id = t.user_id
        left join attended_top_up e on e.top_up_id = t.id
        left join ledger_transfer l on l.idempotency_key = 'topup:' || t.id || ':credit'
        join billing_account a on a.id = coalesce(l.account_id, t.account_id)
       where t.id = $2;
