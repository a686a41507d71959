-- list_users: GET /api/operator/users
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
      from (select '{"id":' || '"' || (u.id)::uuid || '"'
           || coalesce(',"email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"two_factor_enabled":' || ((u.two_factor)::boolean)::text, '')
           || coalesce(',"is_operator":' || ((exists (select from operator o where o.user_id = u.id))::boolean)::text, '')
           || coalesce(',"owned_workspaces":' || ((select count(*) from organization o where o.owner_user_id = u.id))::bigint::text, '')
           || coalesce(',"last_seen_at":' || '"' || to_char((greatest((select max(s.last_seen_at) from session s where s.user_id = u.id),
                 (select max(k.last_used_at) from api_key k where k.user_id = u.id))) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((u.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by mailbox(u.email)) as place,
                   array[(mailbox(u.email))::text] as key
    from authorized cross join app_user u
   where u.kind = 'person' and u.deleted_at is null
             order by mailbox(u.email) limit $5) entry) page on true;
