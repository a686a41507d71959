-- list_payment_methods: GET /api/billing/payment-methods
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, a.id as account_id, null::uuid as organization_id,
             null::text as denied_because
        from billing_account a join caller on a.user_id = caller.user_id
       ),
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
           <= now() at time zone 'UTC', false), 'is_default',
  p.id = (select d.id from payment_method d
           where d.user_id = p.user_id and d.detached_at is null
           order by d.default_at desc nulls last, d.created_at, d.id limit 1),
    'shared_with', (select coalesce(json_agg(s.organization_id order by s.created_at), '[]')
                      from card_share s where s.payment_method_id = p.id),
    'created_at', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) order by p.created_at desc, p.id desc),
                          '[]')::text
            from payment_method p join billing_account a on a.user_id = p.user_id
           where a.id = authorized.account_id and p.detached_at is null) as cards
    from authorized) page on true;
