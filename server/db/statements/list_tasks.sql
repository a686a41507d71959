-- list_tasks: GET /api/projects/{project_id}/tasks
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             standing.acts_as, standing.role_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from project where id = $3
              ) p
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
      order by place) filter (where place <= $4), '')
             || ']' as items,
           case when max(place) > $5
                then max(key) filter (where place = $6) end as last
      from (select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"title":' || to_json((t.title)::text)::text, '')
           || coalesce(',"status":' || '"' || case when
  t.status = any($7::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end || '"', '')
           || coalesce(',"status_reason":' || to_json((
  case when t.status = 'queued' or
  t.status = any($8::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then (select why_tasks_wait())
       else t.status_reason end)::text)::text, '')
           || coalesce(',"model":' || to_json((
    coalesce(t.model, (select default_model from project where id = t.project_id), $9::text))::text)::text, '')
           || coalesce(',"base":' || to_json((t.base)::text)::text, '')
           || coalesce(',"plan":' || ((
  select '{"version":' || l.version::text
           || coalesce(',"approved_version":' || l.approved_version::text, '') || '}'
    from plan l where l.task_id = t.id))::json::text, '')
           || coalesce(',"pull_request":' || ((
  select '{"number":' || pr.number::text
           || coalesce(',"state":' || '"' || pr.state || '"', '')
           || coalesce(',"base":' || to_json(pr.base)::text, '')
           || coalesce(',"merged_at":' || case when pr.state = 'merged' then '"' || to_char(pr.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' end, '') || '}'
    from pull_request pr where pr.task_id = t.id))::json::text, '')
           || coalesce(',"pod":' || ((
  select case when p.state <> 'absent'
              then '{"state":' || '"' || p.state || '"'
           || coalesce(',"driver":' || to_json(p.driver)::text, '')
           || coalesce(',"confined":' || p.confined::text, '') || '}' end
    from pod p where p.task_id = t.id order by p.created_at desc limit 1))::json::text, '')
           || coalesce(',"spend":' || ('{"amount":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((
      select round(coalesce(sum(turn.spent_nano), 0) / 1000)
        from task_turn turn where turn.task_id = t.id))::numeric / 1000000)) amount (usd))::text || '"'
           || coalesce(',"cap":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.spend_cap)::numeric / 1000000)) amount (usd))::text || '"', '') || '}')::json::text, '')
           || coalesce(',"routine":' || (
          (select '{"id":' || '"' || routine.id || '"'
           || coalesce(',"name":' || to_json(routine.name)::text, '') || '}'
             from routine where routine.id = t.routine_id))::json::text, '')
           || coalesce(',"created_by_user_id":' || '"' || (t.created_by_user_id)::uuid || '"', '')
           || coalesce(',"archived":' || ((t.archived_at is not null)::boolean)::text, '')
           || coalesce(',"conversation_removed_at":' || '"' || to_char((t.conversation_removed_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"files_removed":' || (nullif(t.files_removed, 0))::bigint::text, '')
           || coalesce(',"files_removed_at":' || '"' || to_char((case when t.files_removed > 0 then t.files_removed_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $10 then $11 when $12 then $13 when $14 then $15 when $16 then $17 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $18 then $19 when $20 then $21 when $22 then $23 when $24 then $25 end, '') end, case when not (select read_only from caller) and (authorized.acts_as = any($26::text[]) or t.created_by_user_id = (select user_id from caller)
            and authorized.acts_as = any($27::text[])) then $28 end, case when not (select read_only from caller) and authorized.acts_as = any($29::text[]) and
      exists (select from diff_comment c
               where c.task_id = t.id and c.message_number is null and c.resolved_at is null) then $30 end, case when not (select read_only from caller) and authorized.acts_as = any($31::text[]) and (select archived_at is null from project where id = t.project_id) then $32 end, case when not (select read_only from caller) and authorized.acts_as = any($33::text[]) and t.archived_at is null then $34 end, case when not (select read_only from caller) and authorized.acts_as = any($35::text[]) and not
  exists (select from task_turn u where u.task_id = t.id and u.state in ('running', 'waiting')) then $36 end, case when authorized.acts_as = any($37::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $38 end, case when not (select read_only from caller) and authorized.acts_as = any($39::text[]) and t.archived_at is null and case (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1)
                when 'starting' then true when 'running' then true when 'stopping' then false
                else (select erp_version || ' ' || erp_edition = any($40::text[])
                        from project where id = t.project_id) end then $41 end, case when authorized.acts_as = any($42::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $43 end, case when authorized.acts_as = any($44::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $45 end, case when not (select read_only from caller) and authorized.acts_as = any($46::text[]) and
      exists (select from erp_instance i
               where i.task_id = t.id and i.state = 'running' and i.entry_url is not null) then $47 end, case when not (select read_only from caller) and authorized.acts_as = any($48::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) = 'running' then $49 end, case when not (select read_only from caller) and authorized.acts_as = any($50::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) = 'running' then $51 end, case when not (select read_only from caller) and authorized.acts_as = any($52::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $53 end, case when not (select read_only from caller) and authorized.acts_as = any($54::text[]) and
      (select true from odoo_connection c
        where c.project_id = t.project_id and c.agent_access <> 'none' and c.secret is not null limit 1) then $55 end, case when not (select read_only from caller) and authorized.acts_as = any($56::text[]) and case when
  t.status = any($57::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end = any($58::text[]) then $59 end, case when not (select read_only from caller) and authorized.acts_as = any($60::text[]) and case when
  t.status = any($61::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end = any($62::text[]) and t.last_turn > 0 then $63 end) || ']'))::json::text, '') || '}' as json, row_number() over (order by t.created_at desc, t.id desc) as place,
                   array[(t.created_at)::text, (t.id)::text] as key
    from task t cross join authorized
   where t.project_id = (select project_id from authorized)
  and t.archived_at is null
             order by t.created_at desc, t.id desc limit $64) entry) page on true;
