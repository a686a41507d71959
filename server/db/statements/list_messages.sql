-- list_messages: GET /api/tasks/{task_id}/messages
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
      left join caller on true left join access on true left join (
    select '[' || coalesce(string_agg(json, ','
      order by place) filter (where place <= $4), '')
             || ']' as items,
           case when max(place) > $5
                then max(key) filter (where place = $6) end as last
      from (select '{"number":' || (m.number)::bigint::text
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
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $7 then $8 when $9 then $10 when $11 then $12 when $13 then $14 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $15 then $16 when $17 then $18 when $19 then $20 when $21 then $22 end, '') end, case when not (select read_only from caller) and (authorized.acts_as = any($23::text[]) or m.author_user_id = (select user_id from caller)
            and authorized.acts_as = any($24::text[])) and turn.state = 'queued' and turn.attempt = 0 then $25 end) || ']'))::json::text, '') || '}' as json, row_number() over (order by m.number) as place,
                   array[(m.number)::text] as key
    from task_message m
    cross join authorized
    left join task_turn turn on turn.id = m.turn_id
    cross join lateral (
  select coalesce(
           json_agg(
             json_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type,
                               'size', a.size)
             order by a.id), '[]') as files
    from
      attachment a where a.task_id = m.task_id and a.message_number = m.number) attached
   where m.task_id = (select task_id from authorized)
             order by m.number limit $26) entry) page on true;
