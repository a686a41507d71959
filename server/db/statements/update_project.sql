-- update_project: PUT /api/projects/{project_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

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
              ) p
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
      current as materialized (
        select t as row,
               true
               and t.organization_id is not distinct from authorized.organization_id
               and t.owner_user_id is not distinct from authorized.owner_user_id as expected
          from project t join authorized on t.id = authorized.project_id for update of t),
      wanted as materialized (
        select jsonb_populate_record(
                 row,
                 case when $4 and (row).archived_at is null
                      then jsonb_build_object('archived_at', clock_timestamp())
                      else '{}' end || $5::jsonb) as row
          from current),
      verdict as (
        select old.erp_version = new.erp_version and old.erp_edition = new.erp_edition
               or new.erp_version || ' ' || new.erp_edition = any($6::text[])
                 as erp_offered,
               new.default_model is null
               or new.default_model is not distinct from old.default_model
               or new.default_model = any($7::text[]) as model_offered
          from current, lateral (select (current.row).*) old,
               wanted, lateral (select (wanted.row).*) new),
      changed as (
        update project t
           set name = (wanted.row).name,
               erp_version = (wanted.row).erp_version,
               erp_edition = (wanted.row).erp_edition,
               default_model = (wanted.row).default_model,
               plan_approval = (wanted.row).plan_approval,
               direct_push = (wanted.row).direct_push,
               spend_cap = (wanted.row).spend_cap,
               archived_at = (wanted.row).archived_at,
               updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
          from wanted, current, verdict
         where t.id = (wanted.row).id and current.expected
           and verdict.erp_offered and verdict.model_offered
           and wanted.row is distinct from current.row
        returning t as row),
      audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $8, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, (changed.row).id,
    jsonb_build_object(
      'name', (current.row).name,
      'erp_version', (current.row).erp_version,
      'erp_edition', (current.row).erp_edition,
      'default_model', (current.row).default_model,
      'plan_approval', (current.row).plan_approval,
      'direct_push', (current.row).direct_push,
      'spend_cap', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values (((current.row).spend_cap)::numeric / 1000000)) amount (usd))::text,
      'archived', (current.row).archived_at is not null),
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
      'archived', (changed.row).archived_at is not null), $9
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
      select current.expected, verdict.erp_offered, verdict.model_offered,
             (wanted.row).erp_version, (wanted.row).erp_edition, '{"id":' || '"' || (t.id)::uuid || '"'
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
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $10 then $11 when $12 then $13 when $14 then $15 when $16 then $17 end, ''), case when not (select read_only from caller) then nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $18 then $19 when $20 then $21 when $22 then $23 when $24 then $25 end, '') end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($26::text[]) and t.organization_id is null and t.owner_user_id is null then $27 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($28::text[]) and t.archived_at is null then $29 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($30::text[]) and
  (select count(*) from odoo_connection c where c.project_id = t.id) < $31 then $32 end, case when case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($33::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $34 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($35::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $36 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($37::text[]) and t.archived_at is null then $38 end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
        from authorized
        cross join current
        cross join wanted
        cross join verdict
        left join changed on true
        cross join lateral (select (coalesce(changed.row, current.row)).*) t
  cross join caller
  join role acting on acting.id = authorized.role_id) page on true;
