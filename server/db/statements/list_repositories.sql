-- list_repositories: GET /api/projects/{project_id}/repositories
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
      select '[' || coalesce(string_agg('{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"host":' || '"' || t.host || '"', '')
           || coalesce(',"full_name":' || to_json((t.full_name)::text)::text, '')
           || coalesce(',"default_branch":' || to_json((t.default_branch)::text)::text, '')
           || coalesce(',"clone_url":' || to_json((
  case t.host
    when 'local' then $4 || t.project_id || '/' || t.full_name || '.git'
    when 'github' then $5 || t.full_name || '.git'
    when 'gitea' then t.host_url || '/' || t.full_name || '.git' end)::text)::text, '')
           || coalesce(',"used_by_tasks":' || ((
  (case t.host
     when 'local' then t.full_name = 'main' and (
       select true from repository w
        where w.project_id = t.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = t.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (t.created_at, t.id)) end))::boolean)::text, '')
           || coalesce(',"unavailable_reason":' || '"' ||
  case when t.host = 'github' and not exists (
              select from github_connection c join project p on p.id = t.project_id
               where c.installation_id = t.installation_id
                 and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
         or t.host = 'gitea' and not exists (
              select from gitea_connection c join project p on p.id = t.project_id
               where c.id = t.connection_id and c.organization_id = p.organization_id)
       then 'not_connected' else t.unavailable_reason end || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}', ',' order by t.created_at, t.id), '') || ']' as items,
             null::text[] as last
        from authorized join repository t on t.project_id = authorized.project_id where true ) page on true;
