-- make_default_payment_method: PUT /api/billing/payment-methods/{payment_method_id}/default
-- Written by `npm run sql`: to be read, not edited and not loaded.

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
                    ) p),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
          changed as (
            update payment_method p set default_at = clock_timestamp()
              from authorized
             where p.id = authorized.payment_method_id and p.detached_at is null
            returning p.*),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $3, 'done',
         (changed.id)::text, null::uuid, null::uuid,
         '{}'::jsonb, '{"is_default": true}'::jsonb, $4
    from changed cross join caller)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.user_id is null then deny('unauthenticated')
       when access.found is null then deny('not_found')
       else deny(
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end) end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select
  json_strip_nulls(json_build_object(
  'id', p.id, 'brand', p.brand, 'last4', p.last4, 'exp_month', p.exp_month,
  'exp_year', p.exp_year, 'expired',
  coalesce(make_date(p.exp_year, p.exp_month, 1) + interval '1 month'
           <= now() at time zone 'UTC', false), 'is_default', true,
    'shared_with', (select coalesce(json_agg(s.organization_id order by s.created_at), '[]')
                      from card_share s where s.payment_method_id = p.id),
    'created_at', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::text as item from changed p) page on true;
