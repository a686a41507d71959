-- list_all_workspaces: GET /api/operator/organizations
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, null::uuid as organization_id, case when not
  exists (select from operator where operator.user_id = caller.user_id) then 'operator_required' end as denied_because from caller),
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
    select '[' || coalesce(string_agg(json, ','
      order by place) filter (where place <= $2), '')
             || ']' as items,
           case when max(place) > $3
                then max(key) filter (where place = $4) end as last
      from (select '{"id":' || '"' || (o.id)::uuid || '"'
           || coalesce(',"name":' || to_json((o.name)::text)::text, '')
           || coalesce(',"owner_user_id":' || '"' || (u.id)::uuid || '"', '')
           || coalesce(',"owner_email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"owner_name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"owner_is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"members":' || ((select count(*) from membership m where m.organization_id = o.id))::bigint::text, '')
           || coalesce(',"projects":' || ((select count(*) from project p where p.organization_id = o.id))::bigint::text, '')
           || coalesce(',"balance":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((a.balance)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((o.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by lower(o.name) collate "C", o.id) as place,
                   array[(lower(o.name) collate "C")::text, (o.id)::text] as key
    from authorized
    cross join organization o
    join app_user u on u.id = o.owner_user_id
    join billing_account a on a.organization_id = o.id
   where true
             order by lower(o.name) collate "C", o.id limit $5) entry) page on true;
