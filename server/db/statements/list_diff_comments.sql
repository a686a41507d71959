-- list_diff_comments: GET /api/tasks/{task_id}/diff-comments
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
            select authorized.project_id,
  (select base from task where id = authorized.task_id) as base,
  exists (select from repository r
           where r.project_id = authorized.project_id and r.host <> 'local'
             and
  (case r.host
     when 'local' then r.full_name = 'main' and (
       select true from repository w
        where w.project_id = r.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = r.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (r.created_at, r.id)) end)) as "onHost", list.*
              from authorized cross join (
      select '[' || coalesce(string_agg('{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"commit":' || to_json((t.commit_sha)::text)::text, '')
           || coalesce(',"path":' || to_json((t.path)::text)::text, '')
           || coalesce(',"side":' || '"' || t.side || '"', '')
           || coalesce(',"start_line":' || (t.start_line)::bigint::text, '')
           || coalesce(',"line":' || (t.line)::bigint::text, '')
           || coalesce(',"line_text":' || to_json((t.line_text)::text)::text, '')
           || coalesce(',"place":' || '"' || null::text || '"', '')
           || coalesce(',"current_line":' || (null::integer)::bigint::text, '')
           || coalesce(',"text":' || to_json((t.text)::text)::text, '')
           || coalesce(',"resolved":' || ((t.resolved_at is not null)::boolean)::text, '')
           || coalesce(',"resolved_at":' || '"' || to_char((t.resolved_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"resolved_by_user_id":' || '"' || (t.resolved_by_user_id)::uuid || '"', '')
           || coalesce(',"message_number":' || (t.message_number)::bigint::text, '')
           || coalesce(',"author_user_id":' || '"' || (t.author_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}', ',' order by t.id), '') || ']' as items,
             null::text[] as last
    from diff_comment t
   where t.task_id = (select task_id from authorized)
      ) list) page on true;
