-- import_repository: POST /api/projects/{project_id}/repositories/{repository_id}/import
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as repository_id, r.host, r.full_name, r.default_branch,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from project where id = $3
              ) p
        join (select * from repository
               where id = $4 and project_id = $5
                     ) r on r.project_id = p.id
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
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as repository_id, r.host, r.full_name, r.default_branch,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from project where id = $3
              for no key update) p
        join (select * from repository
               where id = $4 and project_id = $5
                     for update) r on r.project_id = p.id
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

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
  place as materialized (
    select p.archived_at is null as open,
           r.host = 'local' and (not (r.host = 'local' and r.full_name = 'main') or
  (case r.host
     when 'local' then r.full_name = 'main' and (
       select true from repository w
        where w.project_id = r.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = r.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (r.created_at, r.id)) end)) as here
      from repository r join project p on p.id = r.project_id where r.id = $4),
  changed as (
    insert into repository_import as t (id, project_id, repository_id, requested_by_user_id, url,
                                        credential, credential_key_id, created_at)
    select $5, $6, $7, $8, $9, $10, $11,
           clock_timestamp()
      from place where place.open and place.here
    returning t as row),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $12, 'done',
         ((changed.row).repository_id)::text, $13::uuid, (changed.row).project_id,
         null::jsonb,
  jsonb_build_object('repository_id', (changed.row).repository_id, 'source', regexp_replace((changed.row).url, '^https?://', ''),
                     'state', (changed.row).state), $14
    from changed cross join caller)
  select place.open, place.here, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"repository_id":' || '"' || (t.repository_id)::uuid || '"', '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"state":' || '"' || t.state || '"', '')
           || coalesce(',"phase":' || '"' || t.phase || '"', '')
           || coalesce(',"received_bytes":' || (t.received_bytes)::bigint::text, '')
           || coalesce(',"default_branch":' || to_json((t.default_branch)::text)::text, '')
           || coalesce(',"branches":' || (t.branches)::bigint::text, '')
           || coalesce(',"tags":' || (t.tags)::bigint::text, '')
           || coalesce(',"left_out":' || (t.left_out)::bigint::text, '')
           || coalesce(',"lfs":' || ((t.lfs)::boolean)::text, '')
           || coalesce(',"notice":' || to_json((case when t.lfs then $15 end)::text)::text, '')
           || coalesce(',"failure_code":' || to_json((t.failure_code)::text)::text, '')
           || coalesce(',"failure_message":' || to_json((t.failure_message)::text)::text, '')
           || coalesce(',"requested_by_user_id":' || '"' || (t.requested_by_user_id)::uuid || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((t.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item
    from place left join changed on true cross join lateral (select (changed.row).*) t;

commit;
