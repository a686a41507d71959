-- delete_payment_method: DELETE /api/billing/payment-methods/{payment_method_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as payment_method_id, null::uuid as organization_id,
             case when p.user_id <> caller.user_id then 'forbidden' end as denied_because
        from caller
        cross join (select id, user_id from payment_method
                     where id = $2 and detached_at is null
                    for update) p),
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

select a.organization_id, null::uuid as top_up_id
      from auto_reload r join billing_account a on a.id = r.account_id
     where r.payment_method_id = $1 and r.enabled and a.status <> 'closed'
    union all
    select a.organization_id, t.id
      from top_up t join billing_account a on a.id = t.account_id
     where t.payment_method_id = $2 and t.status in ('created', 'processing');

update payment_method set detached_at = now() where id = $1
        returning token, brand, last4;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
