-- update_odoo_connection: PUT /api/projects/{project_id}/odoo-connections/{connection_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
  access as materialized (
    select true as found, p.id as project_id, p.organization_id, standing.acts_as,
  c.id as connection_id, c.url, c.database, c.login, c.kind, c.environment, c.agent_access,
  c.secret, c.secret_key_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
      from
        (select * from odoo_connection
          where id = $3 and project_id = $4
          ) c
        join project p on p.id = c.project_id
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

begin;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
  access as materialized (
    select true as found, p.id as project_id, p.organization_id, standing.acts_as,
  c.id as connection_id, c.url, c.database, c.login, c.kind, c.environment, c.agent_access,
  c.secret, c.secret_key_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
      from
        (select * from odoo_connection
          where id = $3 and project_id = $4
          for no key update) c
        join project p on p.id = c.project_id
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
    select $1::uuid as user_id, $2::uuid as key_id,
           $3::uuid as session_id, false as read_only),
  authorized as (select $4::text as acts_as),
  current as materialized (
    select t as row, true as expected
      from odoo_connection t where t.id = $5),
  wanted as (select jsonb_populate_record(row, $6::jsonb) as row from current where expected),
  changed as (
    update odoo_connection t
       set name = (wanted.row).name,
           url = (wanted.row).url,
           database = (wanted.row).database,
           login = (wanted.row).login,
           kind = (wanted.row).kind,
           environment = (wanted.row).environment,
           agent_access = (wanted.row).agent_access,
           agent_exceptions = (wanted.row).agent_exceptions,
           production_write_allowed_at =
             case when (wanted.row).environment = 'production' and (wanted.row).agent_access = 'write'
                  then coalesce((current.row).production_write_allowed_at,
                                case when $7 then clock_timestamp() end) end,
           secret = (wanted.row).secret,
           secret_key_id = (wanted.row).secret_key_id,
           secret_set_at = case when (wanted.row).secret is not distinct from (current.row).secret
                                then (current.row).secret_set_at
                                when (wanted.row).secret is not null then clock_timestamp() end,
           secret_expires_at = (wanted.row).secret_expires_at,
           erp_version = (wanted.row).erp_version,
           edition = (wanted.row).edition,
           last_probe = (wanted.row).last_probe,
           updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
      from wanted, current
     where t.id = (wanted.row).id and wanted.row is distinct from current.row
    returning t as row),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $8, 'done',
         ((changed.row).id)::text, $9::uuid, (changed.row).project_id,
    jsonb_build_object(
      'name', (current.row).name,
      'host', split_part((current.row).url, '://', 2),
      'database', (current.row).database,
      'login', (current.row).login,
      'kind', replace((current.row).kind, '_', ' '),
      'environment', (current.row).environment,
      'agent_access', (current.row).agent_access,
      'agent_exceptions', array_to_string((current.row).agent_exceptions, ' '),
      'secret_set_at', to_char((current.row).secret_set_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'secret_expires_at', to_char((current.row).secret_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
    jsonb_build_object(
      'name', (changed.row).name,
      'host', split_part((changed.row).url, '://', 2),
      'database', (changed.row).database,
      'login', (changed.row).login,
      'kind', replace((changed.row).kind, '_', ' '),
      'environment', (changed.row).environment,
      'agent_access', (changed.row).agent_access,
      'agent_exceptions', array_to_string((changed.row).agent_exceptions, ' '),
      'secret_set_at', to_char((changed.row).secret_set_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'secret_expires_at', to_char((changed.row).secret_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), $10
    from changed cross join current cross join caller)
  select current.expected, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (t.project_id)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"database":' || to_json((t.database)::text)::text, '')
           || coalesce(',"login":' || to_json((t.login)::text)::text, '')
           || coalesce(',"has_secret":' || ((t.secret is not null)::boolean)::text, '')
           || coalesce(',"kind":' || '"' || t.kind || '"', '')
           || coalesce(',"environment":' || '"' || t.environment || '"', '')
           || coalesce(',"agent_access":' || '"' || t.agent_access || '"', '')
           || coalesce(',"agent_exceptions":' || (to_jsonb(t.agent_exceptions))::json::text, '')
           || coalesce(',"erp_version":' || to_json((t.erp_version)::text)::text, '')
           || coalesce(',"edition":' || '"' || t.edition || '"', '')
           || coalesce(',"secret_set_at":' || '"' || to_char((t.secret_set_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"secret_expires_at":' || '"' || to_char((t.secret_expires_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"last_probe":' || (t.last_probe)::json::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $11 then $12 when $13 then $14 when $15 then $16 when $17 then $18 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $19 then $20 when $21 then $22 when $23 then $24 when $25 then $26 end, '') end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
    from current
    cross join authorized
    left join changed on true
    cross join lateral (select (coalesce(changed.row, current.row)).*) t;

commit;
