-- list_task_turns: GET /api/tasks/{task_id}/turns
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, t.id as task_id, p.organization_id, caller.user_id,
  (p.owner_user_id is not distinct from caller.user_id
   or standing.acts_as = any($2::text[])) or t.created_by_user_id = caller.user_id as sees_all,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($3::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from task where id = $4) t
        join project p on p.id = t.project_id
  cross join caller
  left join organization o on o.id = p.organization_id
  left join lateral (
    select user_id, role_id from membership
     where organization_id = p.organization_id and user_id = caller.user_id limit 1) m on true
  left join role wr on wr.id = m.role_id
  left join project_grant g on g.project_id = p.id and g.user_id = caller.user_id
  left join role pr on pr.id = g.role_id
  cross join lateral (
    select case when p.owner_user_id = caller.user_id then 'admin'
                when o.owner_user_id = m.user_id then 'owner'
                when wr.acts_as = 'admin' or pr.id is null then wr.acts_as
                else pr.acts_as end as acts_as,
           case when p.owner_user_id = caller.user_id then '00000000-0000-4000-8000-000000000012'::uuid
                when o.owner_user_id = m.user_id then '00000000-0000-4000-8000-000000000001'::uuid
                when wr.acts_as = 'admin' or pr.id is null then wr.id
                else pr.id end as role_id,
           m.user_id is not null and o.require_2fa and not caller.two_factor as lacks_two_factor
  ) standing),
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
      order by place) filter (where place <= $5), '')
             || ']' as items,
           case when max(place) > $6
                then max(key) filter (where place = $7) end as last
      from (select '{"number":' || (turn.number)::bigint::text
           || coalesce(',"kind":' || '"' || turn.kind || '"', '')
           || coalesce(',"plan_version":' || (turn.plan_version)::bigint::text, '')
           || coalesce(',"state":' || '"' || turn.state || '"', '')
           || coalesce(',"requested_by_user_id":' || '"' || (turn.requested_by_user_id)::uuid || '"', '')
           || coalesce(',"requested_by_name":' || to_json((person.name)::text)::text, '')
           || coalesce(',"amount":' || to_json(((
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((turn.spent_nano)::numeric / 1000000000)) amount (usd))::text)::text)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((turn.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"started_at":' || '"' || to_char((turn.started_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((turn.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by turn.number desc) as place,
                   array[(turn.number)::text] as key
    from task_turn turn
    cross join authorized
    left join app_user person on person.id = turn.requested_by_user_id
   where turn.task_id = (select task_id from authorized)
     and ((select sees_all from authorized)
          or turn.requested_by_user_id = (select user_id from authorized))
             order by turn.number desc limit $8) entry) page on true;
