-- list_github_branches: GET /api/github/repositories/{github_repository_id}/branches
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.scope as organization_id, null::text as denied_because
        from caller),
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
      left join caller on true left join access on true left join (
  select coalesce(array_agg(installation_id::text), '{}') as installations
    from (select distinct i.id as installation_id
            from authorized
            join (
  select c.installation_id, c.organization_id,
         case when o.require_2fa and not caller.two_factor then 'two_factor_required' end as refused
    from caller
    join github_connection c
      on c.user_id = caller.user_id
         or c.organization_id in (select organization_id from membership
                                   where user_id = caller.user_id)
    left join organization o on o.id = c.organization_id) c on c.refused is null
             and (authorized.organization_id is null
                  or c.organization_id = authorized.organization_id)
            join github_installation i on i.id = c.installation_id
             and i.deleted_at is null and i.suspended_at is null
           order by installation_id limit 50) mine) page on true;

select until from github_rate_limit
       where installation_id = $1 and until > now();

select until from github_rate_limit
       where installation_id = $1 and until > now();

select until from github_rate_limit
       where installation_id = $1 and until > now();

select until from github_rate_limit
       where installation_id = $1 and until > now();
