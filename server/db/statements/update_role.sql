-- update_role: PUT /api/organizations/{org_id}/roles/{role_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with workspace as materialized (select id from organization where id = $1 for update)
    select t.id from workspace join role t on t.organization_id = workspace.id
     where t.id = $2 for update of t;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as role_id,
             t.organization_id is not null as is_custom,
             o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
        join role t on t.id = $3 and (t.organization_id is null or t.organization_id = o.id)
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $4),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select) page on true;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
        current as (
          select t as row, true as expected
            from role t where t.id = $4),
        wanted as (select jsonb_populate_record(row, $5::jsonb) as row from current),
        verdict as (
          select not $6 and (current.row).scope = 'workspace'
                 and ((current.row).acts_as = 'admin') <> ((wanted.row).acts_as = 'admin')
                 and (exists (select from membership where role_id = (current.row).id)
                      or exists (select from invitation
                                  where role_id = (current.row).id and status = 'pending'))
                 as makes_admins
            from current cross join wanted),
        changed as (
          update role t
             set name = (wanted.row).name,
                 color = (wanted.row).color,
                 acts_as = (wanted.row).acts_as,
                 updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
            from wanted, current, verdict
           where t.id = (wanted.row).id and current.expected and not verdict.makes_admins
             and wanted.row is distinct from current.row
          returning t as row),
        audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $7, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, null::uuid,
         jsonb_build_object('name', (current.row).name,
           'color', (current.row).color,
           'acts_as', (current.row).acts_as), jsonb_build_object('name', (changed.row).name,
           'color', (changed.row).color,
           'acts_as', (changed.row).acts_as), $8
    from changed cross join current cross join caller)
        select current.expected, verdict.makes_admins, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"slug":' || '"' || t.slug || '"', '')
           || coalesce(',"color":' || '"' || t.color || '"', '')
           || coalesce(',"acts_as":' || '"' || t.acts_as || '"', '')
           || coalesce(',"scope":' || '"' || t.scope || '"', '')
           || coalesce(',"is_custom":' || ((t.organization_id is not null)::boolean)::text, '')
           || coalesce(',"member_count":' || (coalesce(held.people, 0))::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
          from current
          cross join verdict
          left join changed on true
          cross join lateral (select (coalesce(changed.row, current.row)).*) t
          cross join
  lateral (
    select (select count(*) from membership where role_id = t.id)
             + (select count(*) from project_grant where role_id = t.id) as people) held;

commit;
