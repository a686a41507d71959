-- open_pull_request: POST /api/tasks/{task_id}/pull-request
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

select exists (select from pull_request where task_id = t.id) as open,
         p.archived_at is not null as archived, r.id as repository,
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
  end as connected,
         t.title, left(coalesce(v.body, ''), $1) as body,
         coalesce(t.base, (
           select m.branch from merge_target m
            where m.project_id = r.project_id
            order by m.branch = r.default_branch desc, m.branch collate "C" limit 1)) as base,
         t.base is not null as chosen
    from task t
    join project p on p.id = t.project_id
    join repository r on r.project_id = p.id and
  (case r.host
     when 'local' then r.full_name = 'main' and (
       select true from repository w
        where w.project_id = r.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = r.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (r.created_at, r.id)) end)
    left join plan l on l.task_id = t.id
    left join plan_revision v on v.task_id = l.task_id and v.version = l.approved_version
   where t.id = $2;

commit;

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

select from pull_request where task_id = $1;

select exists (select from pull_request where task_id = t.id) as open,
         p.archived_at is not null as archived, r.id as repository,
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
  end as connected,
         t.title, left(coalesce(v.body, ''), $1) as body,
         coalesce(t.base, (
           select m.branch from merge_target m
            where m.project_id = r.project_id
            order by m.branch = r.default_branch desc, m.branch collate "C" limit 1)) as base,
         t.base is not null as chosen
    from task t
    join project p on p.id = t.project_id
    join repository r on r.project_id = p.id and
  (case r.host
     when 'local' then r.full_name = 'main' and (
       select true from repository w
        where w.project_id = r.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = r.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (r.created_at, r.id)) end)
    left join plan l on l.task_id = t.id
    left join plan_revision v on v.task_id = l.task_id and v.version = l.approved_version
   where t.id = $2 for no key update of r;

insert into pull_request
                   (task_id, repository_id, number, base, title, body, url, head_sha,
                    opened_by_user_id)
            values ($1, $2,
            coalesce($3::integer,
                     (select coalesce(max(number), 0) + 1 from pull_request
                       where repository_id = $4)), $5, $6,
                    $7, $8, $9,
                    $10);

update pull_request set head_sha = $1 where task_id = $2 and state = 'open'
    returning task_id;

with cancelled as (
      update check_suite
         set state = 'completed', conclusion = 'cancelled', ended_at = now(), held_by = null,
             held_until = null, pod_id = null
       where task_id = $1 and head_sha <> $2 and state <> 'completed'
      returning id),
    forgotten as (
      delete from check_run
       where suite_id in (select id from check_suite
                           where task_id = $3 and head_sha = $4
                             and conclusion = 'cancelled')),
    begun as (
      insert into check_suite as s (task_id, head_sha, state, conclusion, ended_at)
      values ($5, $6, case when $7 then 'queued' else 'completed' end,
              case when not $8 then 'none' end, case when not $9 then now() end)
      on conflict (task_id, head_sha) do update
         set state = excluded.state, conclusion = excluded.conclusion,
             ended_at = excluded.ended_at, created_at = excluded.created_at, attempts = 0
       where s.conclusion = 'cancelled')
    select id from cancelled;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

with caller as (select $1::uuid as user_id, false as read_only),
  authorized as (
    select $2::text as acts_as, $3::uuid as project_id)
  select '{"task_id":' || '"' || (t.task_id)::uuid || '"'
           || coalesce(',"number":' || (t.number)::bigint::text, '')
           || coalesce(',"state":' || '"' || t.state || '"', '')
           || coalesce(',"title":' || to_json((t.title)::text)::text, '')
           || coalesce(',"body":' || to_json((t.body)::text)::text, '')
           || coalesce(',"base":' || to_json((t.base)::text)::text, '')
           || coalesce(',"head_sha":' || to_json((t.head_sha)::text)::text, '')
           || coalesce(',"checks":' || (
  (select json_build_object(
            'state', case when s.conclusion in ('none', 'passed', 'failed') then s.conclusion
                          else 'pending' end,
            'passed', count(c.id) filter (where coalesce(c.conclusion in ('success', 'neutral', 'skipped'), false)),
            'failed', count(c.id) filter (where c.state = 'completed' and not coalesce(c.conclusion in ('success', 'neutral', 'skipped'), false)),
            'pending', count(c.id) filter (where c.state <> 'completed'))
     from (values (t.task_id, t.head_sha)) of_head (task_id, head_sha)
     left join check_suite s on s.task_id = of_head.task_id and s.head_sha = of_head.head_sha
     left join check_run c on c.suite_id = s.id
    group by s.id))::json::text, '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"opened_by_user_id":' || '"' || (t.opened_by_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $4 then $5 when $6 then $7 when $8 then $9 when $10 then $11 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $12 then $13 when $14 then $15 when $16 then $17 when $18 then $19 end, '') end, case when not (select read_only from caller) and authorized.acts_as = any($20::text[]) and
      t.state = 'open' and
  (select a.archived_at is null from project a where a.id = authorized.project_id)
      and not exists (select from merge m where m.task_id = t.task_id and m.state = 'queued') then $21 end, case when not (select read_only from caller) and authorized.acts_as = any($22::text[]) and t.state = 'open' and
  (select a.archived_at is null from project a where a.id = authorized.project_id) and
  exists (select from check_suite s
           where s.task_id = t.task_id and s.head_sha = t.head_sha
             and s.conclusion = 'failed'
             and (exists (select from check_fix f where f.suite_id = s.id)
                  or
  (select count(*)
     from check_fix f
    where f.task_id = t.task_id
      and f.created_at > coalesce(t.pushed_at, '-infinity')
      and not exists (select from task_message m
                       where m.task_id = f.task_id and m.number > f.message_number
                         and m.role = 'user'
                         and not exists (select from check_fix other
                                          where other.task_id = m.task_id
                                            and other.message_number = m.number))) < $23)) then $24 end, case when not (select read_only from caller) and (authorized.acts_as = any($25::text[]) or (authorized.acts_as = any($26::text[])
             and (select
  exists (select from team_project tp
            join team_member tm on tm.team_id = tp.team_id and tm.user_id = caller.user_id
            join team on team.id = tp.team_id
           where tp.project_id = p.id
             and case target.stage when 'production' then team.can_merge_production
                               when 'staging' then team.can_merge_staging end)
                    from project p cross join caller
                    join merge_target target on target.project_id = p.id and target.branch = t.base
                   where p.id = authorized.project_id))) and
      (t.state = 'open' and
  (select a.archived_at is null from project a where a.id = authorized.project_id)
       and (authorized.acts_as = any($27::text[])
            or
  coalesce((select s.conclusion in ('none', 'passed') from check_suite s
             where s.task_id = t.task_id and s.head_sha = t.head_sha), false))
       or exists (select from merge m where m.task_id = t.task_id and m.state <> 'failed')) then $28 end, case when authorized.acts_as = any($29::text[]) and exists (select from merge m where m.task_id = t.task_id) then $30 end) || ']'))::json::text, '') || '}' as item
    from authorized join pull_request t on t.task_id = $31;

commit;
