-- list_members: GET /api/organizations/{org_id}/members
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
      left join caller on true left join access on true left join (
      select '[' || coalesce(string_agg('{"user_id":' || '"' || (t.user_id)::uuid || '"'
           || coalesce(',"email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"is_owner":' || ((t.user_id = o.owner_user_id)::boolean)::text, '')
           || coalesce(',"is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"two_factor_enabled":' || ((u.two_factor and u.kind = 'person')::boolean)::text, '')
           || coalesce(',"kind":' || '"' || nullif(u.kind, 'person') || '"', '')
           || coalesce(',"teams":' || (
  (select '[' || coalesce(string_agg('{"id":' || '"' || team.id || '"'
           || coalesce(',"name":' || to_json(team.name)::text, '') || '}', ',' order by lower(team.name) collate "C", team.id), '') || ']'
     from team_member tm join team on team.id = tm.team_id
    where tm.organization_id = t.organization_id and tm.user_id = t.user_id))::json::text, '')
           || coalesce(',"joined_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}', ',' order by (t.user_id <> o.owner_user_id)::int, (u.name is null)::int, coalesce(lower(u.name), '') collate "C", u.email collate "C", t.user_id), '') || ']' as items,
             null::text[] as last
    from authorized
    join membership t on t.organization_id = authorized.organization_id
  join organization o on o.id = t.organization_id
  join app_user u on u.id = t.user_id
  join role r on r.id = case when t.user_id = o.owner_user_id
                             then '00000000-0000-4000-8000-000000000001'::uuid else t.role_id end
   where true
          ) page on true;
