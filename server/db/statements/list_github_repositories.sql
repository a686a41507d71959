-- list_github_repositories: GET /api/github/installations/{installation_id}/repositories
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, installation_id, organization_id, refused as denied_because
        from (
  select c.installation_id, c.organization_id,
         case when o.require_2fa and not caller.two_factor then 'two_factor_required' end as refused
    from caller
    join github_connection c
      on c.user_id = caller.user_id
         or c.organization_id in (select organization_id from membership
                                   where user_id = caller.user_id)
    left join organization o on o.id = c.organization_id) mine
       where installation_id = $2
       order by organization_id is not distinct from (select scope from caller) desc,
                refused is null desc
       limit 1),
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

select until from github_rate_limit
       where installation_id = $1 and until > now();

select until from github_rate_limit
       where installation_id = $1 and until > now();
