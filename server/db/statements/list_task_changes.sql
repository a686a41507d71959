-- list_task_changes: GET /api/task-changes
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
  select
  pg_current_snapshot()::text as snapshot, extract(epoch from now())::float8 as at, array(select p.id::text from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($2::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) ) as projects,
         true as known, '[]'::json as missed) page on true;
