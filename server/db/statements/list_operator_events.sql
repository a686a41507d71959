-- list_operator_events: GET /api/operator/audit-events
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
      from (select '{"id":' || '"' || (e.id)::uuid || '"'
           || coalesce(',"occurred_at":' || '"' || to_char((e.occurred_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"action":' || to_json((e.action)::text)::text, '')
           || coalesce(',"outcome":' || '"' || e.outcome || '"', '')
           || coalesce(',"code":' || to_json((e.code)::text)::text, '')
           || coalesce(',"actor_user_id":' || '"' || (e.actor_user_id)::uuid || '"', '')
           || coalesce(',"actor_name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"actor_email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"key_id":' || '"' || (e.key_id)::uuid || '"', '')
           || coalesce(',"session_id":' || '"' || (e.session_id)::uuid || '"', '')
           || coalesce(',"target_id":' || to_json((e.target_id)::text)::text, '')
           || coalesce(',"project_id":' || '"' || (e.project_id)::uuid || '"', '')
           || coalesce(',"before":' || (e.before)::json::text, '')
           || coalesce(',"after":' || (e.after)::json::text, '')
           || coalesce(',"request_id":' || to_json((e.request_id)::text)::text, '') || '}' as json, row_number() over (order by e.occurred_at desc, e.id desc) as place,
                   array[(e.occurred_at)::text, (e.id)::text] as key
    from authorized
    cross join (select * from audit_event where for_operators) e
    left join app_user u on u.id = e.actor_user_id
   where true
             order by e.occurred_at desc, e.id desc limit $5) entry) page on true;
