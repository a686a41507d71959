-- update_workspace: PUT /api/organizations/{org_id}
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
  current as materialized (
    select t as row, true as expected
      from organization t join authorized on t.id = authorized.organization_id for update of t),
          wanted as (select jsonb_populate_record(row, $4::jsonb) as row from current),
          verdict as (
            select case when (wanted.row).admins_manage_admins <> (current.row).admins_manage_admins
                             and (current.row).owner_user_id <> caller.user_id then 'owner_decides'
                        when (wanted.row).require_2fa and not (current.row).require_2fa
                             and not caller.two_factor then 'two_factor_required' end as refusal
              from current cross join wanted cross join caller),
          changed as (
            update organization t
               set name = (wanted.row).name,
                   color = (wanted.row).color,
                   icon = (wanted.row).icon,
                   require_2fa = (wanted.row).require_2fa,
                   admins_manage_admins = (wanted.row).admins_manage_admins,
                   updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
              from wanted, current, verdict
             where t.id = (wanted.row).id and current.expected and verdict.refusal is null
               and wanted.row is distinct from current.row
            returning t as row),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $5, 'done',
         ((changed.row).id)::text, (changed.row).id, null::uuid,
         jsonb_build_object('name', (current.row).name,
           'color', (current.row).color,
           'icon', (current.row).icon,
           'require_2fa', (current.row).require_2fa,
           'admins_manage_admins', (current.row).admins_manage_admins), jsonb_build_object('name', (changed.row).name,
           'color', (changed.row).color,
           'icon', (changed.row).icon,
           'require_2fa', (changed.row).require_2fa,
           'admins_manage_admins', (changed.row).admins_manage_admins), $6
    from changed cross join current cross join caller)
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
          select current.expected, verdict.refusal, '{"id":' || '"' || (t.id)::uuid || '"'
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
               else ('[' || concat_ws(',', nullif(case r.acts_as when $7 then $8 when $9 then $10 when $11 then $12 when $13 then $14 end, ''), case when not (select read_only from caller) then nullif(case r.acts_as when $15 then $16 when $17 then $18 when $19 then $20 when $21 then $22 end, '') end, case when not (select read_only from caller) and r.acts_as = any($23::text[]) and not
  exists (select from billing_account a
           where a.organization_id = t.id
             and (a.balance < 0 or a.held > 0
                  or exists (select from top_up
                              where account_id = a.id and status in ('created', 'processing')))) then $24 end, case when not (select read_only from caller) and r.acts_as = any($25::text[]) and t.owner_user_id <> caller.user_id then $26 end, case when not (select read_only from caller) and (r.acts_as = any($27::text[]) or
  exists (
    select from team_member tm join team on team.id = tm.team_id
     where tm.organization_id = t.id and tm.user_id = caller.user_id
       and team.can_create_projects)) then $28 end) || ']') end)::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
            from current
            cross join verdict
            left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t
  cross join caller
  join membership m on m.organization_id = t.id and m.user_id = caller.user_id
  join role r on r.id = case when t.owner_user_id = m.user_id then '00000000-0000-4000-8000-000000000001'::uuid else m.role_id end
  cross join lateral (
    select (select count(*) from membership where organization_id = t.id) as members,
           (select count(*) from project where organization_id = t.id) as projects) counts) page on true;
