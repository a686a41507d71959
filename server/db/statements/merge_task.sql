-- merge_task: POST /api/tasks/{task_id}/merge
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
  r.host, r.installation_id::float8 as "installationId", r.connection_id as "connectionId",
  r.host_repository_id::float8 as "repositoryId", r.full_name as "fullName",
  case r.host
    when 'github' then exists (
      select from github_connection c
       where c.installation_id = r.installation_id
         and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
    when 'gitea' then exists (
      select from gitea_connection c
       where c.id = r.connection_id and c.organization_id = p.organization_id)
  end as connected, pull.number, pull.head_sha, pull.base_sha, pull.mergeable,
  pull.base, pull.state, target.stage, p.archived_at is not null as archived,
  exists (select from merge where task_id = pull.task_id and state = 'queued') as merging,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any(
        case when
  exists (select from team_project tp
            join team_member tm on tm.team_id = tp.team_id and tm.user_id = caller.user_id
            join team on team.id = tp.team_id
           where tp.project_id = p.id
             and case target.stage when 'production' then team.can_merge_production
                               when 'staging' then team.can_merge_staging end)
             then $2::text[] else $3::text[] end)) is not true
            then 'forbidden' end as denied_because
      from
  (select * from pull_request where task_id = $4
   ) pull
  join task t on t.id = pull.task_id
  join repository r on r.id = pull.repository_id
  left join merge_target target on target.project_id = t.project_id and target.branch = pull.base join project p on p.id = t.project_id
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
  r.host, r.installation_id::float8 as "installationId", r.connection_id as "connectionId",
  r.host_repository_id::float8 as "repositoryId", r.full_name as "fullName",
  case r.host
    when 'github' then exists (
      select from github_connection c
       where c.installation_id = r.installation_id
         and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
    when 'gitea' then exists (
      select from gitea_connection c
       where c.id = r.connection_id and c.organization_id = p.organization_id)
  end as connected, pull.number, pull.head_sha, pull.base_sha, pull.mergeable,
  pull.base, pull.state, target.stage, p.archived_at is not null as archived,
  exists (select from merge where task_id = pull.task_id and state = 'queued') as merging,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any(
        case when
  exists (select from team_project tp
            join team_member tm on tm.team_id = tp.team_id and tm.user_id = caller.user_id
            join team on team.id = tp.team_id
           where tp.project_id = p.id
             and case target.stage when 'production' then team.can_merge_production
                               when 'staging' then team.can_merge_staging end)
             then $2::text[] else $3::text[] end)) is not true
            then 'forbidden' end as denied_because
      from
  (select * from pull_request where task_id = $4
   for no key update) pull
  join task t on t.id = pull.task_id
  join repository r on r.id = pull.repository_id
  left join merge_target target on target.project_id = t.project_id and target.branch = pull.base join project p on p.id = t.project_id
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

select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"state":' || '"' || t.state || '"', '')
           || coalesce(',"reason":' || to_json((
  case when t.state = 'queued' and why_tasks_wait() is not null then $1::text end)::text)::text, '')
           || coalesce(',"branch":' || to_json((t.branch)::text)::text, '')
           || coalesce(',"stage":' || '"' || t.stage || '"', '')
           || coalesce(',"method":' || '"' || t.method || '"', '')
           || coalesce(',"head_sha":' || to_json((t.expected_head_sha)::text)::text, '')
           || coalesce(',"forced":' || ((t.forced)::boolean)::text, '')
           || coalesce(',"merge_commit_sha":' || to_json((t.merge_commit_sha)::text)::text, '')
           || coalesce(',"failure":' || (case when t.failure_code is not null
               then json_build_object('code', t.failure_code, 'message', t.failure_message) end)::json::text, '')
           || coalesce(',"requested_by_user_id":' || '"' || (t.requested_by_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((t.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item
            from merge t where t.task_id = $2 and t.state <> 'failed';

select from plan where task_id = $1 and approved_version is null;

select
  (select json_build_object(
            'state', case when s.conclusion in ('none', 'passed', 'failed') then s.conclusion
                          else 'pending' end,
            'passed', count(c.id) filter (where coalesce(c.conclusion in ('success', 'neutral', 'skipped'), false)),
            'failed', count(c.id) filter (where c.state = 'completed' and not coalesce(c.conclusion in ('success', 'neutral', 'skipped'), false)),
            'pending', count(c.id) filter (where c.state <> 'completed'))
     from (values ($1::uuid, $2::text)) of_head (task_id, head_sha)
     left join check_suite s on s.task_id = of_head.task_id and s.head_sha = of_head.head_sha
     left join check_run c on c.suite_id = s.id
    group by s.id) as checks;

with t as (
            insert into merge
                   (task_id, branch, stage, method, expected_head_sha, forced,
                    requested_by_user_id)
            values ($1, $2, $3, $4, $5, $6,
                    $7)
            returning *)
          select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"state":' || '"' || t.state || '"', '')
           || coalesce(',"reason":' || to_json((
  case when t.state = 'queued' and why_tasks_wait() is not null then $8::text end)::text)::text, '')
           || coalesce(',"branch":' || to_json((t.branch)::text)::text, '')
           || coalesce(',"stage":' || '"' || t.stage || '"', '')
           || coalesce(',"method":' || '"' || t.method || '"', '')
           || coalesce(',"head_sha":' || to_json((t.expected_head_sha)::text)::text, '')
           || coalesce(',"forced":' || ((t.forced)::boolean)::text, '')
           || coalesce(',"merge_commit_sha":' || to_json((t.merge_commit_sha)::text)::text, '')
           || coalesce(',"failure":' || (case when t.failure_code is not null
               then json_build_object('code', t.failure_code, 'message', t.failure_message) end)::json::text, '')
           || coalesce(',"requested_by_user_id":' || '"' || (t.requested_by_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((t.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item from t;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
