-- add_team_project: PUT /api/organizations/{org_id}/teams/{team_id}/projects/{project_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as team_id,
             verdict.denied_because
        from team t
        join organization o on o.id = t.organization_id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
        cross join lateral (select
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because) verdict
       where t.id = $3 and t.organization_id = $4
         and (verdict.denied_because is not null or
      exists (select from project p where p.organization_id = o.id and p.id = $5))),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select t as row, true as expected
      from team t join authorized on t.id = authorized.team_id for update of t),
          wanted as materialized (
            select p.id
              from current
              join project p on p.organization_id = (current.row).organization_id
             where p.id = $6 for key share of p),
          added as (
            insert into team_project (team_id, organization_id, project_id)
            select (current.row).id, (current.row).organization_id, wanted.id
              from current cross join wanted
            on conflict do nothing
            returning team_id, organization_id, project_id),
  touched as (
    update team t set updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
      from added where t.id = added.team_id),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $7, 'done',
         (added.team_id)::text, added.organization_id, added.project_id,
         null, jsonb_build_object('project_id', added.project_id), $8
    from added cross join caller)
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
          select exists (select from wanted) as found from authorized) page on true;
