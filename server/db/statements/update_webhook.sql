-- update_webhook: PUT /api/webhooks/{webhook_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
  webhook as materialized (select id, organization_id, project_id from webhook_endpoint where id = $2
          for no key update),
  access as materialized (
    select true as found, w.id as webhook_id, p.organization_id, p.id as project_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($3::text[])) is not true
            then 'forbidden' end as denied_because
      from webhook w join project p on p.id = w.project_id
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
  ) standing
     union all
    select true, w.id, o.id, null,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($4::text[]))
       then 'forbidden' end as denied_because
      from webhook w join organization o on o.id = w.organization_id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id),
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

select id, kind, enabled, sealed, sealed_key_id from webhook_endpoint where id = $1;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
  current as materialized (
    select t as row, true as expected
      from webhook_endpoint t where t.id = $4),
  wanted as (select jsonb_populate_record(row, $5::jsonb) as row from current where expected),
  changed as (
    update webhook_endpoint t
       set name = (wanted.row).name,
           url = (wanted.row).url,
           event_types = (wanted.row).event_types,
           sealed = (wanted.row).sealed,
           sealed_key_id = (wanted.row).sealed_key_id,
           enabled = (wanted.row).enabled,
           disabled_reason = (wanted.row).disabled_reason,
           updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
      from wanted, current
     where t.id = (wanted.row).id and wanted.row is distinct from current.row
    returning t as row),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $6, 'done',
         ((changed.row).id)::text, $7::uuid, (changed.row).project_id,
    jsonb_build_object(
      'name', (current.row).name,
      'kind', (current.row).kind,
      'host', split_part(split_part((current.row).url, '://', 2), '/', 1),
      'event_types', array_to_string((current.row).event_types, ' '),
      'enabled', (current.row).enabled),
    jsonb_build_object(
      'name', (changed.row).name,
      'kind', (changed.row).kind,
      'host', split_part(split_part((changed.row).url, '://', 2), '/', 1),
      'event_types', array_to_string((changed.row).event_types, ' '),
      'enabled', (changed.row).enabled), $8
    from changed cross join current cross join caller)
  select current.expected, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"organization_id":' || '"' || (t.organization_id)::uuid || '"', '')
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"kind":' || '"' || t.kind || '"', '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"event_types":' || (to_json(t.event_types))::json::text, '')
           || coalesce(',"enabled":' || ((t.enabled)::boolean)::text, '')
           || coalesce(',"disabled_reason":' || '"' || t.disabled_reason || '"', '')
           || coalesce(',"overlap_until":' || '"' || to_char((case when t.overlap_until > now() then t.overlap_until end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
    from current
    left join changed on true
    cross join lateral (select (coalesce(changed.row, current.row)).*) t;

commit;
