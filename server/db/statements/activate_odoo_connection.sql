-- activate_odoo_connection: PUT /api/tasks/{task_id}/odoo-connections/{connection_id}
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
           t.id as task_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
      from
        (select id, project_id from task where id = $3) t
        join (select * from odoo_connection
               where id = $4 ) c
          on c.project_id = t.project_id
        join project p on p.id = t.project_id
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
       else access.denied_because end is null),
          changed as (
            insert into task_odoo_connection as t (task_id, project_id, connection_id,
                                                   activated_by_user_id, activated_at)
            select a.task_id, a.project_id, c.id, caller.user_id, clock_timestamp()
              from authorized a cross join caller
              join odoo_connection c on c.id = a.connection_id and c.agent_access <> 'none' and c.secret is not null
               for key share of c
            -- Written again as it is, so that one of two at once sees it, too.
            on conflict (task_id, connection_id)
            do update set activated_by_user_id = t.activated_by_user_id
            returning t.*, t.xmax = 0 as is_new),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $5, 'done',
         (changed.connection_id)::text, authorized.organization_id, changed.project_id,
         null::jsonb, jsonb_build_object('task_id', changed.task_id), $6
    from (select * from changed where is_new) changed cross join authorized cross join caller)
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
          select '{"connection_id":' || '"' || (t.connection_id)::uuid || '"'
           || coalesce(',"task_id":' || '"' || (t.task_id)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"environment":' || '"' || t.environment || '"', '')
           || coalesce(',"agent_access":' || '"' || t.agent_access || '"', '')
           || coalesce(',"has_secret":' || ((t.secret is not null)::boolean)::text, '')
           || coalesce(',"erp_version":' || to_json((t.erp_version)::text)::text, '')
           || coalesce(',"edition":' || '"' || t.edition || '"', '')
           || coalesce(',"activated_by_user_id":' || '"' || (t.activated_by_user_id)::uuid || '"', '')
           || coalesce(',"activated_at":' || '"' || to_char((t.activated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case authorized.acts_as when $7 then $8 when $9 then $10 when $11 then $12 when $13 then $14 end, ''), case when not (select read_only from caller) then nullif(case authorized.acts_as when $15 then $16 when $17 then $18 when $19 then $20 when $21 then $22 end, '') end) || ']'))::json::text, '') || '}' as item
            from authorized left join
  (select a.task_id, a.connection_id, a.activated_by_user_id, a.activated_at, c.name, c.url,
          c.environment, c.agent_access, c.secret, c.erp_version, c.edition
     from changed a join odoo_connection c on c.id = a.connection_id) t on true) page on true;
