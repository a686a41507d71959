-- create_project: POST /api/projects
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, owner.* from (
      select o.id as organization_id, null::uuid as owner_user_id,
             case when o.owner_user_id = caller.user_id then '00000000-0000-4000-8000-000000000001'::uuid
                  when r.acts_as = 'admin' then r.id
                  else '00000000-0000-4000-8000-000000000012'::uuid end as role_id,
             o.owner_user_id <> caller.user_id and r.acts_as <> 'admin' as becomes_admin,
             case when m.user_id is null then 'forbidden'
                  when o.require_2fa and not caller.two_factor then 'two_factor_required'
                  when not
  (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
      = any($2::text[])
   or
  exists (
    select from team_member tm join team on team.id = tm.team_id
     where tm.organization_id = o.id and tm.user_id = caller.user_id
       and team.can_create_projects)) then 'forbidden'
             end as denied_because
        from organization o
        cross join caller
        left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
        left join role r on r.id = m.role_id
       where o.id = $3) owner),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
    workspace as materialized (
      select o.id
        from organization o join authorized on o.id = authorized.organization_id
         for key share of o),
    member as materialized (
      select m.user_id
        from membership m
        join workspace on workspace.id = m.organization_id
        join caller on caller.user_id = m.user_id
         for key share of m),
    verdict as materialized (
      select authorized.organization_id is null or exists (select from workspace) as exists,
             authorized.organization_id is null or exists (select from member) as may,
             (select count(*) from (
                select from project p
                 where p.organization_id = $4
                 limit $5) p) < $6 as has_room
        from authorized),
    changed as (
      insert into project as t
             (organization_id, owner_user_id, name, erp_version, erp_edition, default_model,
              plan_approval, spend_cap)
      select authorized.organization_id, authorized.owner_user_id, $7,
             $8, $9, $10,
             $11, $12
        from authorized cross join verdict
       where verdict.exists and verdict.may and verdict.has_room
      returning t as row),
    granted as (
      insert into project_grant (project_id, user_id, role_id)
      select (changed.row).id, caller.user_id, authorized.role_id
        from changed cross join caller cross join authorized
       where authorized.becomes_admin),
    attached as (
      insert into repository as t (project_id, host, full_name, created_at)
      select (changed.row).id, 'local', name, now() + place * interval '1 microsecond'
        from changed
        cross join unnest($13::text[])
                     with ordinality more (name, place)
      returning t as row),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $14, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, (changed.row).id,
         null,
    jsonb_build_object(
      'name', (changed.row).name,
      'erp_version', (changed.row).erp_version,
      'erp_edition', (changed.row).erp_edition,
      'default_model', (changed.row).default_model,
      'plan_approval', (changed.row).plan_approval,
      'direct_push', (changed.row).direct_push,
      'spend_cap', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((changed.row).spend_cap)::numeric / 1000000)) amount (usd))::text,
      'archived', (changed.row).archived_at is not null), $15
    from changed cross join caller),
    audited_repositories as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $16, 'done',
         ((attached.row).id)::text, authorized.organization_id, (attached.row).project_id,
         null::jsonb,
  jsonb_build_object('host', (attached.row).host, 'full_name', (attached.row).full_name,
                     'default_branch', (attached.row).default_branch), $17
    from attached cross join authorized cross join caller)
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
    select verdict.exists, verdict.has_room, t.id, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"organization_id":' || '"' || (t.organization_id)::uuid || '"', '')
           || coalesce(',"owner_user_id":' || '"' || (t.owner_user_id)::uuid || '"', '')
           || coalesce(',"erp_version":' || to_json((t.erp_version)::text)::text, '')
           || coalesce(',"erp_edition":' || '"' || t.erp_edition || '"', '')
           || coalesce(',"default_model":' || to_json((t.default_model)::text)::text, '')
           || coalesce(',"plan_approval":' || '"' || t.plan_approval || '"', '')
           || coalesce(',"direct_push":' || '"' || t.direct_push || '"', '')
           || coalesce(',"spend_cap":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.spend_cap)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"archived":' || ((t.archived_at is not null)::boolean)::text, '')
           || coalesce(',"archived_at":' || '"' || to_char((t.archived_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"role":' || '"' || acting.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (acting.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((acting.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || acting.color || '"', '')
           || coalesce(',"task_count":' || ((select count(*) from task where project_id = t.id))::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $18 then $19 when $20 then $21 when $22 then $23 when $24 then $25 end, ''), case when not (select read_only from caller) then nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $26 then $27 when $28 then $29 when $30 then $31 when $32 then $33 end, '') end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($34::text[]) and t.organization_id is null and t.owner_user_id is null then $35 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($36::text[]) and t.archived_at is null then $37 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($38::text[]) and
  (select count(*) from odoo_connection c where c.project_id = t.id) < $39 then $40 end, case when case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($41::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $42 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($43::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $44 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($45::text[]) and t.archived_at is null then $46 end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
      from authorized
      cross join verdict
      left join changed on true
      cross join lateral (select (changed.row).*) t
  cross join caller
  join role acting on acting.id = authorized.role_id) page on true;
