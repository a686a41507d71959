-- list_open_turns: GET /api/operator/turns
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
      from (select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"project_id":' || '"' || (k.project_id)::uuid || '"', '')
           || coalesce(',"organization_id":' || '"' || (p.organization_id)::uuid || '"', '')
           || coalesce(',"workspace_name":' || to_json((o.name)::text)::text, '')
           || coalesce(',"requested_by_user_id":' || '"' || (t.requested_by_user_id)::uuid || '"', '')
           || coalesce(',"requested_by_email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"kind":' || '"' || t.kind || '"', '')
           || coalesce(',"state":' || '"' || t.state || '"', '')
           || coalesce(',"paused":' || ((t.paused)::boolean)::text, '')
           || coalesce(',"attempt":' || (t.attempt)::bigint::text, '')
           || coalesce(',"worker":' || to_json((t.owner)::text)::text, '')
           || coalesce(',"lease_until":' || '"' || to_char((t.lease_until) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"started_at":' || '"' || to_char((t.started_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by t.id) as place,
                   array[(t.id)::text] as key
    from authorized
    cross join (
  select * from task_turn where state in ('queued', 'interrupted')
   union all
  select * from task_turn where state in ('running', 'waiting')) t
    join task k on k.id = t.task_id
    join project p on p.id = k.project_id
    left join organization o on o.id = p.organization_id
    left join app_user u on u.id = t.requested_by_user_id
   where true
             order by t.id limit $5) entry) page on true;
