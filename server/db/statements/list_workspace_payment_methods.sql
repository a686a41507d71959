-- list_workspace_payment_methods: GET /api/organizations/{org_id}/billing/payment-methods
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $3),
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
  select (select coalesce(json_agg(
  json_strip_nulls(json_build_object(
  'id', p.id, 'brand', p.brand, 'last4', p.last4, 'exp_month', p.exp_month,
  'exp_year', p.exp_year, 'expired',
  coalesce(make_date(p.exp_year, p.exp_month, 1) + interval '1 month'
           <= now() at time zone 'UTC', false), 'user_id', u.id, 'name', u.name, 'shared_at', to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) order by s.created_at desc, p.id desc),
                          '[]')::text
            from card_share s
            join payment_method p on p.id = s.payment_method_id
            join app_user u on u.id = s.user_id
            join billing_account a on a.organization_id = s.organization_id
           where s.organization_id = authorized.organization_id and
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($4::text[])
         and (u.two_factor or not o.require_2fa)))) as cards
    from authorized) page on true;
