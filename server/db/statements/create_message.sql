-- create_message: POST /api/tasks/{task_id}/messages
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
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select t.id, t.last_turn
      from task t join authorized on t.id = authorized.task_id
       for no key update of t),
  room as materialized (
    select count(*) < $4 as left_over
      from task_turn u join current on u.task_id = current.id where u.state = 'queued'),
  wanted as materialized (
    select a.id
      from current cross join authorized cross join caller join attachment a on a.project_id = authorized.project_id
     where a.id = any($5::uuid[]) and a.message_number is null
       and (a.task_id = current.id or a.task_id is null and a.uploaded_by_user_id = caller.user_id)
     order by a.id for no key update of a),
  built as materialized (
    select start_build(current.id, current.last_turn + 1, coalesce(l.approved_version, 0)) as turns
      from current cross join room left join plan l on l.task_id = current.id
     where room.left_over and (select count(*) = $6 from wanted)),
  numbered as (
    update task t
       set last_turn = t.last_turn + built.turns + 1, last_message = t.last_message + 1,
           status = case when t.status in ('ready', 'failed', 'cancelled', 'awaiting_approval')
                         then 'queued' else t.status end,
           status_reason = case when t.status = 'paused' then t.status_reason end
      from current cross join built
     where t.id = current.id
    returning t.id, t.last_turn, t.last_message),
  turn as (
    insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
    select n.id, n.last_turn,
           case when l.approved_version = l.version then 'prompt' else 'plan' end,
           'message:' || n.id || ':' || n.last_message, $7, caller.user_id
      from numbered n left join plan l on l.task_id = n.id cross join caller
    returning id),
  added as (
    insert into task_message
           (task_id, number, turn_id, role, author_user_id, github_login, gitea_login, content)
    select n.id, n.last_message, turn.id, 'user', caller.user_id, $8,
           $9, $10
      from numbered n cross join turn cross join caller
    returning *),
  claimed as (
    update attachment a set task_id = m.task_id, message_number = m.number
      from wanted cross join added m where a.id = wanted.id
    returning a.id, a.name, a.media_type, a.size),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $11, 'done',
         (authorized.task_id)::text, authorized.organization_id, authorized.project_id,
         null, jsonb_build_object('number', added.number), $12
    from added cross join authorized cross join caller)
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
          select exists (select from current) as exists, exists (select from added) as added,
                 (select count(*) = $13 from wanted) as complete,
  (select '{"number":' || (m.number)::bigint::text
           || coalesce(',"task_id":' || '"' || (m.task_id)::uuid || '"', '')
           || coalesce(',"role":' || '"' || m.role || '"', '')
           || coalesce(',"author_user_id":' || '"' || (m.author_user_id)::uuid || '"', '')
           || coalesce(',"github_login":' || to_json((m.github_login)::text)::text, '')
           || coalesce(',"gitea_login":' || to_json((m.gitea_login)::text)::text, '')
           || coalesce(',"status":' || '"' || case when turn.state = 'queued' then 'queued'
             when turn.state = 'cancelled' and turn.attempt = 0 then 'cancelled'
             else 'sent' end || '"', '')
           || coalesce(',"text":' || to_json((m.content)::text)::text, '')
           || coalesce(',"attachments":' || (attached.files)::json::text, '')
           || coalesce(',"created_at":' || '"' || to_char((m.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $14 then $15 when $16 then $17 when $18 then $19 when $20 then $21 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $22 then $23 when $24 then $25 when $26 then $27 when $28 then $29 end, '') end, case when not (select read_only from caller) and (authorized.acts_as = any($30::text[]) or m.author_user_id = (select user_id from caller)
            and authorized.acts_as = any($31::text[])) and turn.state = 'queued' and turn.attempt = 0 then $32 end) || ']'))::json::text, '') || '}'
     from added m cross join (select 'queued' as state, 0 as attempt) turn
          cross join (
  select coalesce(
           json_agg(
             json_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type,
                               'size', a.size)
             order by a.id), '[]') as files
    from claimed a) attached) as item
            from authorized) page on true;
