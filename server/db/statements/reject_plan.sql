-- reject_plan: POST /api/tasks/{task_id}/plan/reject
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

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
              for no key update) t
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
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select) page on true;

select version from plan where task_id = $1 for update;

select t.version, t.approved_version, r.body as text, case when
  task.status = any($1::text[])
  and (select true from waiting_start s where s.task_id = task.id limit 1) then 'queued' else task.status end as status,
           not (case when
  task.status = any($2::text[])
  and (select true from waiting_start s where s.task_id = task.id limit 1) then 'queued' else task.status end in ('awaiting_approval', 'ready', 'failed')) as busy,
           task.last_turn, task.last_message,
  coalesce((select json_agg(json_build_object(
                     'id', c.id, 'start', c.current_start_line,
                     'end', c.current_start_line + c.end_line - c.start_line))
              from plan_comment c
             where c.task_id = t.task_id and c.current_start_line is not null), '[]') as comments,
           true as expected
      from plan t
      join plan_revision r on r.task_id = t.task_id and r.version = t.version
      join task on task.id = t.task_id
     where t.task_id = $3;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
    message as (
      insert into task_message (task_id, number, role, author_user_id, content)
      select $4::uuid, $5, 'user', $6::uuid, said.reason
        from (values ($7::text)) said (reason) where said.reason is not null
      returning number),
    cancelled as (
      update task set status = 'cancelled', status_reason = null,
             last_message = coalesce((select number from message), last_message)
       where id = $8
      returning updated_at),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $9, 'done',
         ($10::uuid)::text, $11::uuid, $12::uuid,
         jsonb_build_object('version', $13::integer, 'status', $14::text),
        jsonb_strip_nulls(
          jsonb_build_object('status', 'cancelled', 'reason', $15::text)), $16
    from cancelled cross join caller)
    select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from cancelled;

commit;
