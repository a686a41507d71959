-- get_workspace_auto_reload: GET /api/organizations/{org_id}/billing/auto-reload
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, a.id as account_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
        join (select id, organization_id from billing_account where organization_id = $3
              ) a on a.organization_id = o.id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $4),
    authorized as materialized (
      select access.* from access cross join caller where
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
  select coalesce(r.enabled, false) as enabled, r.threshold, r.amount, r.monthly_cap,
         r.payment_method_id, coalesce(a.user_id, s.user_id) as set_by_user_id, r.paused_reason,
         to_char(c.last_charged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_charged_at,
         c.spent as charged_this_month,
         coalesce((extract(epoch from r.updated_at) * 1000000)::bigint, 0)::text as revision,
         true as expected
    from billing_account a
    left join lateral (
      select * from auto_reload
       where account_id = a.id ) r on true
    left join auto_reload_set_by s on s.account_id = a.id
  cross join lateral (
    select count(*) as made,
           coalesce(sum(t.amount) filter (
             where t.status <> 'failed'
               and t.created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint as spent,
           coalesce(bool_or(t.status in ('created', 'processing')), false) as open,
           max(t.created_at) filter (
             where t.status not in ('created', 'processing', 'failed')) as last_charged_at,
           coalesce(max(t.created_at + case
                               when t.failure_code = 'not_executed' then interval '5 minutes'
                               else interval '1 hour' end), '-infinity') as free_at
      from top_up t where t.account_id = a.id and t.automatic) c
   where a.id = (select account_id from authorized)) page on true;
