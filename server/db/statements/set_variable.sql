-- set_variable: PUT /api/projects/{project_id}/variables/{name}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             standing.acts_as, standing.role_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from project where id = $3
              for no key update) p
  cross join caller
  left join organization o on o.id = p.organization_id
  left join lateral (
    select user_id, role_id from membership
     where organization_id = p.organization_id and user_id = caller.user_id limit 1) m on true
  left join role wr on wr.id = m.role_id
  left join project_grant g on g.project_id = p.id and g.user_id = caller.user_id
  left join role pr on pr.id = g.role_id
  cross join lateral (
    select case when p.owner_user_id = caller.user_id then 'admin'
                when o.owner_user_id = m.user_id then 'owner'
                when wr.acts_as = 'admin' or pr.id is null then wr.acts_as
                else pr.acts_as end as acts_as,
           case when p.owner_user_id = caller.user_id then '00000000-0000-4000-8000-000000000012'::uuid
                when o.owner_user_id = m.user_id then '00000000-0000-4000-8000-000000000001'::uuid
                when wr.acts_as = 'admin' or pr.id is null then wr.id
                else pr.id end as role_id,
           m.user_id is not null and o.require_2fa and not caller.two_factor as lacks_two_factor
  ) standing),
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
  place as materialized (
    select $4::uuid as project_id, $5::text as name, $6::text as stage),
  current as materialized (
    select t as row from project_variable t join place p
        on t.project_id = p.project_id and t.name = p.name and t.stage is not distinct from p.stage),
  room as materialized (
    select count(t.id) < $7 as is_one_more_possible,
           coalesce(sum(coalesce(octet_length(t.value), octet_length(t.sealed) - 28)), 0)
             + $8::integer <= $9 as fits
      from place p left join project_variable t
        on t.project_id = p.project_id
       and (t.name, coalesce(t.stage, '')) <> (p.name, coalesce(p.stage, ''))),
  changed as (
    insert into project_variable as t
           (project_id, name, stage, purposes, value, sealed, sealed_key_id, updated_at,
            updated_by_user_id)
    select p.project_id, p.name, p.stage, $10::text[], $11::text,
           $12::bytea, $13::text, clock_timestamp(),
           caller.user_id
      from place p, room, caller
     where room.is_one_more_possible and room.fits
    on conflict (project_id, name, stage) do update
       set purposes = excluded.purposes, value = excluded.value, sealed = excluded.sealed,
           sealed_key_id = excluded.sealed_key_id, updated_at = excluded.updated_at,
           updated_by_user_id = excluded.updated_by_user_id
    returning t as row),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $14, 'done',
         ((changed.row).id)::text, $15::uuid, (changed.row).project_id,
         case when current.row is not null then
    jsonb_build_object(
      'name', (current.row).name,
      'stage', (current.row).stage,
      'purposes', array_to_string((current.row).purposes, ' '),
      'sealed', (current.row).sealed is not null) end,
    jsonb_build_object(
      'name', (changed.row).name,
      'stage', (changed.row).stage,
      'purposes', array_to_string((changed.row).purposes, ' '),
      'sealed', (changed.row).sealed is not null), $16
    from changed left join current on true cross join caller)
  select room.is_one_more_possible,
         (select '{"name":' || to_json((t.name)::text)::text
           || coalesce(',"stage":' || '"' || t.stage || '"', '')
           || coalesce(',"purposes":' || (to_json(t.purposes))::json::text, '')
           || coalesce(',"secret":' || ((t.sealed is not null)::boolean)::text, '')
           || coalesce(',"value":' || to_json((t.value)::text)::text, '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_by_user_id":' || '"' || (t.updated_by_user_id)::uuid || '"', '') || '}' from changed, lateral (select (changed.row).*) t) as item
    from room;

commit;
