-- answer_request: POST /api/tasks/{task_id}/requests/{request_id}/answer
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
  access as materialized (
    select true as found, t.id as task_id, p.id as project_id, p.organization_id,
           standing.acts_as, request.id as request_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
      from agent_request request join task t on t.id = request.task_id
            and request.task_id = $3 and request.id = $4 join project p on p.id = t.project_id
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
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select r.id, r.state = 'open' as open, r.options <> '[]' as has_options,
           case when $5::text is null then r.options = '[]'
                else exists (select from jsonb_array_elements(r.options) o
                              where o->>'id' = $6) end as fits
      from agent_request r join authorized on r.id = authorized.request_id for update of r),
  changed as (
    update agent_request r
       set state = 'answered', answer_option_id = $7,
           answer_text = $8, answered_by_user_id = caller.user_id,
           ended_at = clock_timestamp()
      from current cross join caller
     where r.id = current.id and current.open and current.fits
    returning r.*),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $9, 'done',
         (authorized.task_id)::text, authorized.organization_id, authorized.project_id,
         null, jsonb_build_object('request_id', changed.id), $10
    from changed cross join authorized cross join caller)
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
      left join caller on true left join access on true left join (
          select current.open, current.has_options, current.fits,
                 (select '{"id":' || '"' || (r.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (r.task_id)::uuid || '"', '')
           || coalesce(',"kind":' || '"' || r.kind || '"', '')
           || coalesce(',"title":' || to_json((r.title)::text)::text, '')
           || coalesce(',"options":' || ((
      select coalesce(json_agg(json_build_object('id', o->>'id', 'name', o->>'name')), '[]')
        from jsonb_array_elements(r.options) o))::json::text, '')
           || coalesce(',"status":' || '"' || r.state || '"', '')
           || coalesce(',"answer":' || (case when r.answer_option_id is not null
             then '{"option_id":' || to_json(r.answer_option_id)::text || '}'
             when r.answer_text is not null
             then '{"text":' || to_json(r.answer_text)::text || '}' end)::json::text, '')
           || coalesce(',"answered_by_user_id":' || '"' || (r.answered_by_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((r.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((r.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $11 then $12 when $13 then $14 when $15 then $16 when $17 then $18 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $19 then $20 when $21 then $22 when $23 then $24 when $25 then $26 end, '') end, case when not (select read_only from caller) and authorized.acts_as = any($27::text[]) and r.state = 'open' then $28 end) || ']'))::json::text, '') || '}' from changed r) as item
            from authorized left join current on true) page on true;
