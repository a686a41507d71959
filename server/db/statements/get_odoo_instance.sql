-- get_odoo_instance: GET /api/tasks/{task_id}/odoo-instance
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
          select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"status":' || '"' || t.state || '"', '')
           || coalesce(',"reason":' || to_json((coalesce(t.reason,
  case when t.state = 'starting' and why_tasks_wait() is not null then $4::text end,
                   case when t.state = 'starting' and
  ((t.ready_at is null or t.asked is not distinct from 'reset')
   and exists (select from task of_instance
                 join odoo_dump d on d.project_id = of_instance.project_id
                where of_instance.id = t.task_id and d.state = 'preparing'))
                        then $5::text end))::text)::text, '')
           || coalesce(',"reason_code":' || '"' || case when t.state = 'failed' then t.reason_code end || '"', '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"commit_sha":' || to_json((t.commit_sha)::text)::text, '')
           || coalesce(',"broken_sha":' || to_json((t.broken_sha)::text)::text, '')
           || coalesce(',"problem":' || to_json((t.problem)::text)::text, '')
           || coalesce(',"erp_version":' || to_json((t.erp_version)::text)::text, '')
           || coalesce(',"edition":' || '"' || t.edition || '"', '')
           || coalesce(',"database":' || to_json((t.database_name)::text)::text, '')
           || coalesce(',"data":' || '"' || t.data || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ready_at":' || '"' || to_char((t.ready_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"expires_at":' || '"' || to_char((t.expires_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, t.state as revision
            from authorized
            left join lateral
  (select newest.* from (
     select * from erp_instance i where i.task_id = authorized.task_id
      order by i.created_at desc, i.id desc limit 1) newest
    where newest.state <> 'ended') t on true) page on true;
