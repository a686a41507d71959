-- create_routine: POST /api/projects/{project_id}/routines
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

select person.user_id from project_person person
     where person.project_id = $1 and person.user_id = $2
       and
  (person.hidden_reason is null and person.acts_as = any($3::text[]))
       and (person.user_id = $4::uuid or exists (
    select from app_user service
      join project of_it on of_it.id = $5::uuid and of_it.organization_id = service.service_of
      join organization o on o.id = of_it.organization_id
      join membership own on own.organization_id = o.id and own.user_id = $6::uuid
      join app_user chooser on chooser.id = own.user_id and chooser.kind = 'person'
      join role own_role on own_role.id = own.role_id
     where service.id = person.user_id
       and (o.owner_user_id = $7::uuid
            or own_role.acts_as = any($8::text[]))));

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
    changed as (
      insert into routine as t
             (project_id, name, message, title, model, spend_cap, on_behalf_of_user_id, starts_by,
              schedule, time_zone, next_at, token_hash, label, per_hour, at_once)
      select $4::uuid, $5, $6, $7,
             $8, $9::bigint,
             $10::uuid, $11,
             $12, $13, $14::timestamptz,
             $15::bytea,
             $16, $17::int, $18::int
       where (select count(*) from routine where project_id = $19) < $20
      returning t as row),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $21, 'done',
         ((changed.row).id)::text, $22::uuid, (changed.row).project_id,
         null::jsonb,
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
      'enabled', (changed.row).enabled), $23
    from changed cross join caller)
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
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision from changed, lateral (select (changed.row).*) t;

commit;
