-- approve_plan: POST /api/tasks/{task_id}/plan/approve
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
    seen as materialized (
      select p.*, p.approved_version is not distinct from p.version as settled
        from plan p join authorized using (task_id)),
    locked as materialized (
      select p.task_id, p.version, p.approved_version, p.approved_at, p.approved_by_user_id,
  p.policy_version
        from plan p
       where p.task_id = (select task_id from seen where not settled) for update),
    current as materialized (
      select p.*, true as expected
        from (select * from locked
              union all
              select p.task_id, p.version, p.approved_version, p.approved_at, p.approved_by_user_id,
  p.policy_version from seen p where settled) p),
    approved as (
      update plan p set approved_version = p.version, approved_at = clock_timestamp(),
        approved_by_user_id = caller.user_id
        from current c, caller
       where p.task_id = c.task_id and c.expected and c.approved_version is distinct from c.version
      returning p.*),
    kept as (
      insert into plan_approval (task_id, version, approved_by_user_id, approved_at)
      select task_id, approved_version, approved_by_user_id, approved_at from approved),
    started as (
      insert into outbox (topic, key, payload)
      select 'agent_start', a.task_id || ':' || a.version, jsonb_build_object('task_id', a.task_id,
        'version', a.version)
        from approved a),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $4, 'done',
         (a.task_id)::text, authorized.organization_id, authorized.project_id,
         jsonb_build_object('approved_version', c.approved_version), jsonb_build_object('approved_version', a.version), $5
    from approved a cross join current c cross join authorized cross join caller)
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
    select c.version, c.approved_version as previous, c.expected,
      a.task_id is not null as newly_approved,
           to_char(coalesce(a.approved_at, c.approved_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as approved_at,
           coalesce(a.approved_by_user_id, c.approved_by_user_id) as approved_by_user_id,
           c.policy_version is not distinct from c.version as by_policy
      from current c left join approved a using (task_id)) page on true;
