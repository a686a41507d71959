-- create_workspace_webhook: POST /api/organizations/{org_id}/webhooks
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select id from organization where id = $1 for update;

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
    space as materialized (
      select count(*) < $4 as is_left from webhook_endpoint
       where project_id = $5::uuid
          or $6::uuid is null and organization_id = $7::uuid),
    changed as (
      insert into webhook_endpoint as t (
        id, organization_id, project_id, name, kind, url, event_types, sealed, sealed_key_id)
      select $8::uuid, case when $9::uuid is null then $10::uuid end,
             $11::uuid, $12, $13, $14, $15::text[],
             $16::bytea, $17
        from space where space.is_left
      returning t as row),
    queued as (
      insert into webhook_queue (endpoint_id) select (changed.row).id from changed),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $18, 'done',
         ((changed.row).id)::text, $19::uuid, (changed.row).project_id,
         null::jsonb,
    jsonb_build_object(
      'name', (changed.row).name,
      'kind', (changed.row).kind,
      'host', split_part(split_part((changed.row).url, '://', 2), '/', 1),
      'event_types', array_to_string((changed.row).event_types, ' '),
      'enabled', (changed.row).enabled), $20
    from changed cross join caller)
    select '{"id":' || '"' || (t.id)::uuid || '"'
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
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision from changed, lateral (select (changed.row).*) t;

commit;
