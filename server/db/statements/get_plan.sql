-- get_plan: GET /api/tasks/{task_id}/plan
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id,
             standing.acts_as,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from task where id = $3
              ) t
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
      left join caller on true left join access on true left join (select '{"task_id":' || '"' || (t.task_id)::uuid || '"'
           || coalesce(',"version":' || (t.version)::bigint::text, '')
           || coalesce(',"approved_version":' || (t.approved_version)::bigint::text, '')
           || coalesce(',"text":' || to_json((r.body)::text)::text, '')
           || coalesce(',"text_removed_at":' || '"' || to_char((case when r.body = ''
             then (select conversation_removed_at from task where id = r.task_id) end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"sha256":' || to_json((encode(r.sha256, 'hex'))::text)::text, '')
           || coalesce(',"author":' || '"' || case when r.author_user_id is null then 'agent' else 'person' end || '"', '')
           || coalesce(',"author_user_id":' || '"' || (r.author_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((r.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"approved_at":' || '"' || to_char((t.approved_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"approved_by_user_id":' || '"' || (case when t.policy_version is distinct from t.approved_version
               then t.approved_by_user_id end)::uuid || '"', '')
           || coalesce(',"approval_source":' || '"' || case when t.approved_version is null then null
               when t.approved_version = t.policy_version then 'policy' else 'person' end || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $4 then $5 when $6 then $7 when $8 then $9 when $10 then $11 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $12 then $13 when $14 then $15 when $16 then $17 when $18 then $19 end, '') end, case when not (select read_only from caller) and authorized.acts_as = any($20::text[]) and t.approved_version is distinct from t.version and r.body <> '' then $21 end, case when not (select read_only from caller) and authorized.acts_as = any($22::text[]) and (case when
  task.status = any($23::text[])
  and (select true from waiting_start s where s.task_id = task.id limit 1) then 'queued' else task.status end <> 'cancelled') then $24 end, case when not (select read_only from caller) and authorized.acts_as = any($25::text[]) and (case when
  task.status = any($26::text[])
  and (select true from waiting_start s where s.task_id = task.id limit 1) then 'queued' else task.status end in ('awaiting_approval', 'ready', 'failed')) then $27 end, case when not (select read_only from caller) and authorized.acts_as = any($28::text[]) and (case when
  task.status = any($29::text[])
  and (select true from waiting_start s where s.task_id = task.id limit 1) then 'queued' else task.status end in ('awaiting_approval', 'ready', 'failed')) and t.approved_version is distinct from t.version then $30 end, case when authorized.acts_as = any($31::text[]) and
  (select
  case when standing.lacks_two_factor then 'two_factor_required'
       when p.owner_user_id = caller.user_id or o.owner_user_id = m.user_id
            or wr.acts_as = any($32::text[]) then null
       else 'forbidden' end is null
     from (select * from project where id = task.project_id) p
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
  ) standing) then $33 end) || ']'))::json::text, '') || '}' as item, t.version::text as revision from authorized
  cross join caller
  left join task on task.id = authorized.task_id
  left join plan t on t.task_id = task.id
  left join plan_revision r on r.task_id = t.task_id and r.version = t.version) page on true;
