-- update_routine: PUT /api/projects/{project_id}/routines/{routine_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as routine_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select id, project_id from routine
               where id = $3 and project_id = $4
              for no key update) r
        join project p on p.id = r.project_id
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

select to_jsonb(t) as start, t.on_behalf_of_user_id,
           (t.on_behalf_of_user_id = $1::uuid or exists (
    select from app_user service
      join project of_it on of_it.id = t.project_id and of_it.organization_id = service.service_of
      join organization o on o.id = of_it.organization_id
      join membership own on own.organization_id = o.id and own.user_id = $2::uuid
      join app_user chooser on chooser.id = own.user_id and chooser.kind = 'person'
      join role own_role on own_role.id = own.role_id
     where service.id = t.on_behalf_of_user_id
       and (o.owner_user_id = $3::uuid
            or own_role.acts_as = any($4::text[])))) as speaks,
           true as expected
      from routine t where t.id = $5;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
    before as materialized (select t as row from routine t where t.id = $4),
    next as materialized (
      select (jsonb_populate_record(before.row, $5::jsonb)).* from before),
    changed as (
      update routine t
         set name = n.name, message = n.message, title = n.title, model = n.model,
             spend_cap = n.spend_cap, on_behalf_of_user_id = n.on_behalf_of_user_id,
             schedule = n.schedule, time_zone = n.time_zone, label = n.label,
             per_hour = n.per_hour, at_once = n.at_once, next_at = n.next_at,
             enabled = n.enabled, paused_reason = n.paused_reason, failures = n.failures,
             updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
        from next n
       where t.id = n.id and t is distinct from n
      returning t as row),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $6, 'done',
         ((changed.row).id)::text, $7::uuid, (changed.row).project_id,
    jsonb_build_object(
      'name', (before.row).name,
      'starts_by', (before.row).starts_by,
      'schedule', (before.row).schedule,
      'time_zone', (before.row).time_zone,
      'label', (before.row).label,
      'message', left((before.row).message, 2000),
      'on_behalf_of_user_id', (before.row).on_behalf_of_user_id,
      'model', (before.row).model,
      'spend_cap', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((before.row).spend_cap)::numeric / 1000000)) amount (usd))::text,
      'per_hour', (before.row).per_hour,
      'at_once', (before.row).at_once,
      'enabled', (before.row).enabled),
    jsonb_build_object(
      'name', (changed.row).name,
      'starts_by', (changed.row).starts_by,
      'schedule', (changed.row).schedule,
      'time_zone', (changed.row).time_zone,
      'label', (changed.row).label,
      'message', left((changed.row).message, 2000),
      'on_behalf_of_user_id', (changed.row).on_behalf_of_user_id,
      'model', (changed.row).model,
      'spend_cap', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((changed.row).spend_cap)::numeric / 1000000)) amount (usd))::text,
      'per_hour', (changed.row).per_hour,
      'at_once', (changed.row).at_once,
      'enabled', (changed.row).enabled), $8
    from changed cross join before cross join caller)
    select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"message":' || to_json((t.message)::text)::text, '')
           || coalesce(',"title":' || to_json((t.title)::text)::text, '')
           || coalesce(',"model":' || to_json((t.model)::text)::text, '')
           || coalesce(',"spend_cap":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.spend_cap)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"on_behalf_of_user_id":' || '"' || (t.on_behalf_of_user_id)::uuid || '"', '')
           || coalesce(',"on_behalf_of_name":' || to_json(((select coalesce(u.name, u.email) from app_user u where u.id = t.on_behalf_of_user_id))::text)::text, '')
           || coalesce(',"starts_by":' || '"' || t.starts_by || '"', '')
           || coalesce(',"schedule":' || to_json((t.schedule)::text)::text, '')
           || coalesce(',"time_zone":' || to_json((t.time_zone)::text)::text, '')
           || coalesce(',"next_at":' || '"' || to_char((case when t.enabled then t.next_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"call_path":' || to_json((case when t.starts_by = 'call' then '/webhooks/routines/' || t.id end)::text)::text, '')
           || coalesce(',"label":' || to_json((t.label)::text)::text, '')
           || coalesce(',"per_hour":' || (t.per_hour)::bigint::text, '')
           || coalesce(',"at_once":' || (t.at_once)::bigint::text, '')
           || coalesce(',"enabled":' || ((t.enabled)::boolean)::text, '')
           || coalesce(',"paused_reason":' || '"' || t.paused_reason || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
      from before left join changed on true
           cross join lateral (select (coalesce(changed.row, before.row)).*) t;

commit;
