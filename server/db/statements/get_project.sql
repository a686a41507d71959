-- get_project: GET /api/projects/{project_id}
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
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
          select '{"id":' || '"' || (t.id)::uuid || '"'
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
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $4 then $5 when $6 then $7 when $8 then $9 when $10 then $11 end, ''), case when not (select read_only from caller) then nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $12 then $13 when $14 then $15 when $16 then $17 when $18 then $19 end, '') end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($20::text[]) and t.organization_id is null and t.owner_user_id is null then $21 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($22::text[]) and t.archived_at is null then $23 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($24::text[]) and
  (select count(*) from odoo_connection c where c.project_id = t.id) < $25 then $26 end, case when case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($27::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $28 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($29::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $30 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($31::text[]) and t.archived_at is null then $32 end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
            from authorized join project t on t.id = authorized.project_id
  cross join caller
  join role acting on acting.id = authorized.role_id) page on true;
