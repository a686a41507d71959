-- delete_gitea_connection: DELETE /api/organizations/{org_id}/gitea/connections/{gitea_connection_id}
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
          removed as (
            delete from gitea_connection t using authorized
             where t.id = $4 and t.organization_id = authorized.organization_id
            returning t as row),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $5, 'done',
         ((removed.row).id)::text, (removed.row).organization_id, null::uuid,
  jsonb_build_object('host', split_part(split_part((removed.row).url, '://', 2), '/', 1)), null::jsonb, $6
    from removed cross join caller)
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
      left join caller on true left join access on true left join (select exists (select from removed) as removed from authorized) page on true;
