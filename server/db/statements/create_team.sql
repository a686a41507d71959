-- create_team: POST /api/organizations/{org_id}/teams
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
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
          changed as (
            insert into team as t
                   (organization_id, name, add_to_new_projects, can_create_projects,
                    can_merge_production, can_merge_staging)
            select organization_id, $4, $5,
                   $6, $7,
                   $8
              from authorized
            returning t as row),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $9, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, null::uuid,
         null, jsonb_build_object('name', (changed.row).name,
           'add_to_new_projects', (changed.row).add_to_new_projects,
           'can_create_projects', (changed.row).can_create_projects,
           'can_merge_production', (changed.row).can_merge_production,
           'can_merge_staging', (changed.row).can_merge_staging), $10
    from changed cross join caller)
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
          select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"organization_id":' || '"' || (t.organization_id)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"add_to_new_projects":' || ((t.add_to_new_projects)::boolean)::text, '')
           || coalesce(',"can_create_projects":' || ((t.can_create_projects)::boolean)::text, '')
           || coalesce(',"can_merge_production":' || ((t.can_merge_production)::boolean)::text, '')
           || coalesce(',"can_merge_staging":' || ((t.can_merge_staging)::boolean)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"member_count":' || ((select count(*) from team_member where team_id = t.id))::bigint::text, '')
           || coalesce(',"project_count":' || ((select count(*) from team_project where team_id = t.id))::bigint::text, '') || '}' as item, concat_ws('-', (extract(epoch from t.updated_at) * 1000000)::bigint::text, (select count(*) from team_member where team_id = t.id), (select count(*) from team_project where team_id = t.id)) as revision, t.id
            from changed, lateral (select (changed.row).*) t) page on true;
