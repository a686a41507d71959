-- delete_task: DELETE /api/tasks/{task_id}
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
             = any(
                     case when t.created_by_user_id = caller.user_id
                          then $2::text[] else $3::text[] end)) is not true
            then 'forbidden' end as denied_because
        from (select * from task where id = $4
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

with planned as materialized (
      select task_id from plan where task_id = $1 for update)
    select t.title, t.created_by_user_id,
           true as expected
      from task t left join planned on planned.task_id = t.id
     where t.id = $2 for update of t;

select id, account_id as "accountId" from hold
     where reference_id in (select $1::uuid) and reference_type = $2 and status = 'open'
     order by account_id, id for no key update;

select (select count(*)::int from task_message where task_id = $1) as messages_deleted,
           turn.*,
           (select count(*)::int from pod
             where task_id = $2 and state not in ('absent', 'failed')) as pods_stopped,
           file.*
      from (select count(*) filter (where state in ('running', 'waiting'))::int as turns_stopped,
                   count(*) filter (where state in ('queued', 'interrupted'))::int
                     as turns_cancelled
              from task_turn where task_id = $3) turn
     cross join (
       select count(*)::int as files_deleted, coalesce(sum(size), 0)::float8 as bytes_freed
         from (select size from attachment where task_id = $4
               union all
               select size from artifact where task_id = $5) stored) file;

delete from task where id = $1
        returning to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as deleted_at;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
