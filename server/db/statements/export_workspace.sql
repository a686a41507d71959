-- export_workspace: GET /api/organizations/{org_id}/export
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $3),
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
      left join caller on true left join access on true left join (select) page on true;

begin;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;

begin isolation level repeatable read read only;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', o.id, 'name', o.name, 'owner', o.owner_user_id,
           'require_2fa', nullif(o.require_2fa, false),
           'admins_manage_admins', nullif(o.admins_manage_admins, true),
           'color', o.color, 'icon', o.icon, 'instructions', o.instructions))::text as item
    from organization o where o.id = $1::uuid;

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', u.id, 'email', u.email, 'name', u.name,
           'is_active', nullif(u.is_active, true), 'two_factor', nullif(u.two_factor, false)))::text as item
    from (select m.user_id from membership m where m.organization_id = $1::uuid
          union
          select g.user_id from project p join project_grant g on g.project_id = p.id
           where p.organization_id = $2::uuid
          union
          select i.invited_by_user_id from project p join invitation i on i.project_id = p.id
           where p.organization_id = $3::uuid and i.status = 'pending'
          union
          select t.created_by_user_id from project p join task t on t.project_id = p.id
           where p.organization_id = $4::uuid
          union
          select named.user_id
            from project p
            join task t on t.project_id = p.id
            cross join lateral (
              select a.approved_by_user_id from plan_approval a where a.task_id = t.id
              union
              select r.author_user_id from plan_revision r where r.task_id = t.id
              union
              select unnest(array[c.author_user_id, c.resolved_by_user_id])
                from plan_comment c where c.task_id = t.id) named (user_id)
           where p.organization_id = $5::uuid) person
    join app_user u on u.id = person.user_id
   order by mailbox(u.email);

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'slug', r.slug, 'scope', r.scope, 'name', r.name, 'color', r.color,
           'acts_as', r.acts_as))::text as item
    from role r where r.organization_id = $1::uuid order by r.scope, r.slug;

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object('user', m.user_id, 'role', r.slug))::text as item
    from membership m
    join organization o on o.id = m.organization_id
    join app_user u on u.id = m.user_id
    join role r on r.id = m.role_id
   where m.organization_id = $1::uuid and m.user_id <> o.owner_user_id and m.user_kind = 'person'
   order by mailbox(u.email);

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', t.id, 'name', t.name,
           'add_to_new_projects', nullif(t.add_to_new_projects, false),
           'can_create_projects', nullif(t.can_create_projects, false),
           'can_merge_production', nullif(t.can_merge_production, false),
           'can_merge_staging', nullif(t.can_merge_staging, false),
           'members', (select json_agg(m.user_id order by m.user_id)
                         from team_member m join app_user u on u.id = m.user_id
                        where m.team_id = t.id and u.kind = 'person'),
           'projects', (select json_agg(p.project_id order by p.project_id)
                          from team_project p where p.team_id = t.id)))::text as item
    from team t where t.organization_id = $1::uuid
   order by lower(t.name) collate "C", t.id;

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', i.id, 'email', i.email, 'role', r.slug,
           'invited_by', (select m.user_id from membership m
                           where m.organization_id = i.organization_id
                             and m.user_id = i.invited_by_user_id),
           'invited_by_name', nullif(i.invited_by_name, ''),
           'created_at', to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char(i.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'teams', (select json_agg(t.team_id order by t.team_id)
                       from invitation_team t where t.invitation_id = i.id)))::text as item
    from invitation i
    join role r on r.id = i.role_id
   where i.organization_id = $1::uuid and i.status = 'pending'
   order by i.created_at, i.id;

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', p.id, 'name', p.name, 'organization', p.organization_id,
           'erp_version', p.erp_version, 'erp_edition', p.erp_edition,
           'default_model', p.default_model,
           'plan_approval', nullif(p.plan_approval, 'required'),
           'direct_push', nullif(p.direct_push, 'nobody'),
  'spend_cap', case when p.spend_cap is not null then (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((p.spend_cap)::numeric / 1000000)) amount (usd))::text end,
  'archived', case when p.archived_at is not null then true end,
  'archived_at', to_char(p.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'created_at', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'repositories', coalesce(
  (select json_agg(json_build_object(
            'full_name', r.full_name, 'default_branch', nullif(r.default_branch, 'main'))
                   order by r.created_at, r.id)
     from repository r where r.project_id = p.id and r.host = 'local'), '[]'),
           'merge_targets', coalesce(
  (select json_agg(json_build_object('branch', m.branch, 'stage', m.stage)
                   order by m.branch collate "C")
     from merge_target m where m.project_id = p.id), '[]'),
           'overrides',
  (select json_agg(json_build_object('user', g.user_id, 'role', r.slug) order by g.user_id)
     from project_grant g
     join role r on r.id = g.role_id
     left join membership m on m.organization_id = p.organization_id and m.user_id = g.user_id
    where g.project_id = p.id and m.user_kind is distinct from 'service' and m.user_id is not null),
           'collaborators',
  (select json_agg(json_build_object('user', g.user_id, 'role', r.slug) order by g.user_id)
     from project_grant g
     join role r on r.id = g.role_id
     left join membership m on m.organization_id = p.organization_id and m.user_id = g.user_id
    where g.project_id = p.id and m.user_kind is distinct from 'service' and m.user_id is null),
           'invitations',
  (select json_agg(json_build_object(
            'handle', i.id, 'email', i.email, 'role', r.slug, 'invited_by', i.invited_by_user_id,
            'invited_by_name', nullif(i.invited_by_name, ''),
            'created_at', to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'expires_at', to_char(i.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by i.created_at, i.id)
     from invitation i join role r on r.id = i.role_id
    where i.project_id = p.id and i.status = 'pending'),
           'instructions', p.instructions, 'environment',
  (select json_build_object(
            'image', e.image, 'setup', e.setup,
            'setup_timeout_minutes', e.setup_timeout_minutes, 'cache', e.cache)
     from project_environment e where e.project_id = p.id),
           'network',
  (select json_object_agg(n.purpose, n.hosts)
     from (select n.purpose, json_agg(n.host order by n.host) as hosts
             from project_network_host n where n.project_id = p.id
            group by n.purpose order by n.purpose) n), 'variables',
  (select json_agg(json_build_object(
            'name', v.name, 'stage', v.stage, 'purposes', v.purposes, 'value', v.value)
                   order by v.name, v.stage nulls first)
     from project_variable v
    where v.project_id = p.id and (v.value is not null) = $1), 'secrets',
  (select json_agg(json_build_object(
            'name', v.name, 'stage', v.stage, 'purposes', v.purposes, 'value', v.value)
                   order by v.name, v.stage nulls first)
     from project_variable v
    where v.project_id = p.id and (v.value is not null) = $2),
           'mcp_servers',
  (select json_agg(json_build_object(
            'name', s.name, 'url', s.url, 'headers', nullif(s.headers, '[]'::jsonb),
            'command', s.command, 'args', nullif(s.args, '{}'::text[]),
            'env', nullif(s.env, '[]'::jsonb), 'turns', s.turns, 'read_only', s.read_only)
                   order by s.name collate "C")
     from project_mcp_server s where s.project_id = p.id)))::text as item
    from project p where p.organization_id = $3::uuid
   order by p.created_at, p.id;

fetch 500 from batches;

close batches;

declare batches no scroll cursor for
  select json_strip_nulls(json_build_object(
           'handle', t.id, 'project', t.project_id, 'title', t.title,
           'created_by', t.created_by_user_id, 'created_at', to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'model', t.model, 'base', t.base,
  'spend_cap', case when t.spend_cap is not null then (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.spend_cap)::numeric / 1000000)) amount (usd))::text end,
  'archived', case when t.archived_at is not null then true end,
  'archived_at', to_char(t.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'plan', (select json_build_object(
                             'revisions', (select json_agg(r.body order by r.version)
                                             from plan_revision r where r.task_id = t.id),
                             'approved_version', plan.approved_version,
                             'authors',
  (select json_agg(json_build_object('version', r.version, 'by', r.author_user_id)
                   order by r.version)
     from plan_revision r where r.task_id = t.id and r.author_user_id is not null), 'approvals',
  (select json_agg(json_build_object(
            'version', a.version, 'by', a.approved_by_user_id,
            'at', to_char(a.approved_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'source', nullif(a.approval_source, 'person')) order by a.version)
     from plan_approval a where a.task_id = t.id),
                             'comments',
  (select json_agg(json_build_object(
            'version', c.version, 'start_line', c.start_line, 'end_line', c.end_line,
            'current_start_line', c.current_start_line, 'text', c.text,
            'by', c.author_user_id, 'at', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'resolved_by', c.resolved_by_user_id,
            'resolved_at', to_char(c.resolved_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by c.id)
     from plan_comment c where c.task_id = t.id))
                      from plan where plan.task_id = t.id and
  not exists (select from plan_revision r where r.task_id = t.id and r.body = ''))))::text as item
    from (select t.* from project p join task t on t.project_id = p.id
           where p.organization_id = $1::uuid
           order by t.created_at, t.id offset 0) t;

fetch 500 from batches;

close batches;

rollback;
