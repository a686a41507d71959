-- search_tasks: GET /api/search
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.scope as organization_id, null::text as denied_because
        from caller),
    authorized as materialized (
      select access.* from access cross join caller where
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  asked as materialized (select
  (select case when numnode(w) > 0
               then (w::text || $2)::tsquery end
     from plainto_tsquery('simple', regexp_replace($3::text, '[!-/:-@[-`{-~]', ' ', 'g')) w) as words),
  titles as materialized (
    select t.id from task t
     where to_tsvector('simple', regexp_replace(t.title, '[!-/:-@[-`{-~]', ' ', 'g')) @@ (select words from asked)
           or lower(t.title) like '%' || lower($4) || '%'
     limit $5),
  messages as materialized (
    select m.task_id, m.number from task_message m
     where to_tsvector('simple', regexp_replace("left"(m.content, 100000), '[!-/:-@[-`{-~]', ' ', 'g')) @@ (select words from asked)
     limit $6),
  is_common as materialized (
    select greatest((select count(*) from titles), (select count(*) from messages))
           > $7 as yes),
  hits as materialized (
    select id, max(in_title) as in_title, max(number) as number
      from (select id, 1 as in_title, null::integer as number from titles
             where not (select yes from is_common)
            union all
            select task_id, 0, number from messages where not (select yes from is_common)
            union all
  select t.id, case when
  (lower(t.title) like all(array(select '%' || lower(w) || '%' from unnest($8::text[]) w))) then 1 else 0 end, said.number
    from (select t.id, t.title
            from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($9::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id)
           cross join lateral (
             select id, title, created_at from task
              where project_id = p.id
              order by created_at desc, id desc limit $10) t
           where (select yes from is_common)
           order by t.created_at desc, t.id desc limit $11) t
    left join lateral (
      select m.number
        from (select number, "left"(content, 10000) as content from task_message
               where task_id = t.id order by number desc limit $12) m
       where
  (lower(m.content) like all(array(select '%' || lower(w) || '%' from unnest($13::text[]) w)))
       order by m.number desc limit 1) said on true
   where said.number is not null or
  (lower(t.title) like all(array(select '%' || lower(w) || '%' from unnest($14::text[]) w)))) hit
     group by id)
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
      order by place) filter (where place <= $15), '')
             || ']' as items,
           case when max(place) > $16
                then max(key) filter (where place = $17) end as last
      from (select '{"task_id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"title":' || to_json((t.title)::text)::text, '')
           || coalesce(',"status":' || '"' || case when
  t.status = any($18::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1) then 'queued' else t.status end || '"', '')
           || coalesce(',"archived":' || (((t.archived_at is not null or p.archived_at is not null))::boolean)::text, '')
           || coalesce(',"project_id":' || '"' || (p.id)::uuid || '"', '')
           || coalesce(',"project_name":' || to_json((p.name)::text)::text, '')
           || coalesce(',"organization_id":' || '"' || (p.organization_id)::uuid || '"', '')
           || coalesce(',"found_in":' || '"' || case when e.in_title = 1 then 'title' else 'message' end || '"', '')
           || coalesce(',"message_number":' || (m.number)::bigint::text, '')
           || coalesce(',"excerpt":' || to_json((excerpt.text)::text)::text, '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by e.in_title desc, e.updated_at desc, e.id desc) as place,
                   array[(e.in_title)::text, (e.updated_at)::text, (e.id)::text] as key
    from (select e.* from (
            select hits.id, hits.in_title, hits.number, task.updated_at
              from hits
              join task on task.id = hits.id
              join project p on p.id = task.project_id
              join authorized on authorized.organization_id is null
                   or authorized.organization_id = p.organization_id
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
  ) standing
             where standing.acts_as = any($19::text[])
               and not standing.lacks_two_factor) e
           where true  order by e.in_title desc, e.updated_at desc, e.id desc limit $20) e
    join task t on t.id = e.id
    join project p on p.id = t.project_id
    left join task_message m on m.task_id = e.id and m.number = e.number
  cross join lateral (
    select greatest(1, strpos(lower("left"(m.content, 100000)),
                              lower($21)) - 60) as start) place
  cross join lateral (select substring(m.content from place.start for 240) as text) excerpt
   where true
             order by e.in_title desc, e.updated_at desc, e.id desc limit $22) entry) page on true;
