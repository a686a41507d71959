-- list_own_github_installations: GET /api/github/installations
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.user_id, null::uuid as organization_id,
             null::text as denied_because
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
      select '[' || coalesce(string_agg('{"id":' || (t.id)::bigint::text
           || coalesce(',"account":' || (json_build_object('login', t.account_login, 'type', t.account_type))::json::text, '')
           || coalesce(',"repository_selection":' || '"' || t.repository_selection || '"', '')
           || coalesce(',"suspended":' || ((t.suspended_at is not null)::boolean)::text, '')
           || coalesce(',"permissions":' || (t.permissions)::json::text, '')
           || coalesce(',"looked_at":' || '"' || to_char((t.looked_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}', ',' order by lower(t.account_login) collate "C", t.id), '') || ']' as items,
             null::text[] as last
              from authorized
              join github_connection c on c.user_id = authorized.user_id
              join github_installation t on t.id = c.installation_id
             where t.deleted_at is null ) page on true;
