-- list_workspaces: GET /api/organizations
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
      select '[' || coalesce(string_agg('{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"color":' || '"' || t.color || '"', '')
           || coalesce(',"icon":' || to_json((t.icon)::text)::text, '')
           || coalesce(',"require_2fa":' || ((t.require_2fa)::boolean)::text, '')
           || coalesce(',"admins_manage_admins":' || ((t.admins_manage_admins)::boolean)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"is_owner":' || ((t.owner_user_id = caller.user_id)::boolean)::text, '')
           || coalesce(',"member_count":' || (counts.members)::bigint::text, '')
           || coalesce(',"project_count":' || (counts.projects)::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (case when t.require_2fa and not caller.two_factor then '[]'
               else ('[' || concat_ws(',', nullif(case r.acts_as when $2 then $3 when $4 then $5 when $6 then $7 when $8 then $9 end, ''), case when not (select read_only from caller) then nullif(case r.acts_as when $10 then $11 when $12 then $13 when $14 then $15 when $16 then $17 end, '') end, case when not (select read_only from caller) and r.acts_as = any($18::text[]) and not
  exists (select from billing_account a
           where a.organization_id = t.id
             and (a.balance < 0 or a.held > 0
                  or exists (select from top_up
                              where account_id = a.id and status in ('created', 'processing')))) then $19 end, case when not (select read_only from caller) and r.acts_as = any($20::text[]) and t.owner_user_id <> caller.user_id then $21 end, case when not (select read_only from caller) and (r.acts_as = any($22::text[]) or
  exists (
    select from team_member tm join team on team.id = tm.team_id
     where tm.organization_id = t.id and tm.user_id = caller.user_id
       and team.can_create_projects)) then $23 end) || ']') end)::json::text, '') || '}', ',' order by lower(t.name) collate "C", t.id), '') || ']' as items,
             null::text[] as last
    from authorized
    cross join caller
    join membership m on m.user_id = caller.user_id
    join organization t on t.id = m.organization_id
  join role r on r.id = case when t.owner_user_id = m.user_id then '00000000-0000-4000-8000-000000000001'::uuid else m.role_id end
  cross join lateral (
    select (select count(*) from membership where organization_id = t.id) as members,
           (select count(*) from project where organization_id = t.id) as projects) counts
   where (authorized.organization_id is null or t.id = authorized.organization_id) ) page on true;
