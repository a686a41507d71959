-- create_task: POST /api/projects/{project_id}/tasks
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
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  place as materialized (
    select p.id, p.archived_at is null as open
      from project p join authorized on p.id = authorized.project_id for share of p),
  wanted as materialized (
    select a.id
      from place cross join caller join attachment a on a.project_id = place.id
     where a.id = any($4::uuid[]) and a.message_number is null
       and (a.task_id = null::uuid or a.task_id is null and a.uploaded_by_user_id = caller.user_id)
     order by a.id for no key update of a),
  changed as (
    insert into task as t
           (project_id, title, model, spend_cap, base, created_by_user_id, status, last_turn,
            last_message, routine_id)
    select place.id, $5, $6, $7,
           $8, caller.user_id, 'queued', 1, 1, $9
      from place cross join caller
     where place.open and (select count(*) = $10 from wanted)
    returning t as row),
  turn as (
    insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
    select (row).id, 1, 'plan', 'message:' || (row).id || ':1', $11,
           (row).created_by_user_id
      from changed
    returning id, task_id, requested_by_user_id),
  message as (
    insert into task_message (task_id, number, turn_id, role, author_user_id, content)
    select task_id, 1, id, 'user', requested_by_user_id, $12 from turn
    returning task_id, number),
  claimed as (
    update attachment a set task_id = m.task_id, message_number = m.number
      from wanted cross join message m where a.id = wanted.id
    returning a.id, a.name, a.media_type, a.size),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $13, 'done',
         ((changed.row).id)::text, authorized.organization_id, authorized.project_id,
         null,
  jsonb_build_object(
    'title', (changed.row).title,
    'model', (changed.row).model,
    'spend_cap', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((changed.row).spend_cap)::numeric / 1000000)) amount (usd))::text,
    'archived', (changed.row).archived_at is not null)
  || case when (changed.row).base is null then '{}'
          else jsonb_build_object('base', (changed.row).base) end
  || case when (changed.row).routine_id is null then '{}'
          else jsonb_build_object('routine_id', (changed.row).routine_id) end, $14
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
            select place.open, t.id, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"title":' || to_json((t.title)::text)::text, '')
           || coalesce(',"status":' || '"' || case when
  t.status = any($15::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end || '"', '')
           || coalesce(',"status_reason":' || to_json((
  case when t.status = 'queued' or
  t.status = any($16::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then (select why_tasks_wait())
       else t.status_reason end)::text)::text, '')
           || coalesce(',"model":' || to_json((
    coalesce(t.model, (select default_model from project where id = t.project_id), $17::text))::text)::text, '')
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
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $18 then $19 when $20 then $21 when $22 then $23 when $24 then $25 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $26 then $27 when $28 then $29 when $30 then $31 when $32 then $33 end, '') end, case when not (select read_only from caller) and (authorized.acts_as = any($34::text[]) or t.created_by_user_id = (select user_id from caller)
            and authorized.acts_as = any($35::text[])) then $36 end, case when not (select read_only from caller) and authorized.acts_as = any($37::text[]) and
      exists (select from diff_comment c
               where c.task_id = t.id and c.message_number is null and c.resolved_at is null) then $38 end, case when not (select read_only from caller) and authorized.acts_as = any($39::text[]) and (select archived_at is null from project where id = t.project_id) then $40 end, case when not (select read_only from caller) and authorized.acts_as = any($41::text[]) and t.archived_at is null then $42 end, case when not (select read_only from caller) and authorized.acts_as = any($43::text[]) and not
  exists (select from task_turn u where u.task_id = t.id and u.state in ('running', 'waiting')) then $44 end, case when authorized.acts_as = any($45::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $46 end, case when not (select read_only from caller) and authorized.acts_as = any($47::text[]) and t.archived_at is null and case (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1)
                when 'starting' then true when 'running' then true when 'stopping' then false
                else (select erp_version || ' ' || erp_edition = any($48::text[])
                        from project where id = t.project_id) end then $49 end, case when authorized.acts_as = any($50::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $51 end, case when authorized.acts_as = any($52::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $53 end, case when not (select read_only from caller) and authorized.acts_as = any($54::text[]) and
      exists (select from erp_instance i
               where i.task_id = t.id and i.state = 'running' and i.entry_url is not null) then $55 end, case when not (select read_only from caller) and authorized.acts_as = any($56::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) = 'running' then $57 end, case when not (select read_only from caller) and authorized.acts_as = any($58::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) = 'running' then $59 end, case when not (select read_only from caller) and authorized.acts_as = any($60::text[]) and (
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1) is not null then $61 end, case when not (select read_only from caller) and authorized.acts_as = any($62::text[]) and
      (select true from odoo_connection c
        where c.project_id = t.project_id and c.agent_access <> 'none' and c.secret is not null limit 1) then $63 end, case when not (select read_only from caller) and authorized.acts_as = any($64::text[]) and case when
  t.status = any($65::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end = any($66::text[]) then $67 end, case when not (select read_only from caller) and authorized.acts_as = any($68::text[]) and case when
  t.status = any($69::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end = any($70::text[]) and t.last_turn > 0 then $71 end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
              from authorized
              left join place on true
              left join changed on true
              cross join lateral (select (changed.row).*) t) page on true;
