-- list_mails: GET /api/operator/mails
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
      from (select '{"id":' || '"' || (m.id)::uuid || '"'
           || coalesce(',"kind":' || to_json((m.kind)::text)::text, '')
           || coalesce(',"recipient":' || to_json((m.recipient)::text)::text, '')
           || coalesce(',"status":' || '"' || m.status || '"', '')
           || coalesce(',"attempts":' || (m.attempts)::bigint::text, '')
           || coalesce(',"last_error":' || to_json((m.last_error)::text)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((m.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"next_attempt_at":' || '"' || to_char((m.next_attempt_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((m.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by m.created_at desc, m.id desc) as place,
                   array[(m.created_at)::text, (m.id)::text] as key
    from authorized cross join (select * from mail where status = 'dead') m where true
             order by m.created_at desc, m.id desc limit $5) entry) page on true;
