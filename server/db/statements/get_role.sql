-- get_role: GET /api/organizations/{org_id}/roles/{role_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

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
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  held as materialized (
    select role_id, count(*) as people
      from (select case when m.user_id = authorized.owner_user_id
                        then '00000000-0000-4000-8000-000000000001'::uuid else m.role_id end as role_id
              from authorized join membership m using (organization_id)
            union all
            select g.role_id
              from authorized
              join project p using (organization_id)
              join project_grant g on g.project_id = p.id) given
     group by role_id)
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
           || coalesce(',"slug":' || '"' || t.slug || '"', '')
           || coalesce(',"color":' || '"' || t.color || '"', '')
           || coalesce(',"acts_as":' || '"' || t.acts_as || '"', '')
           || coalesce(',"scope":' || '"' || t.scope || '"', '')
           || coalesce(',"is_custom":' || ((t.organization_id is not null)::boolean)::text, '')
           || coalesce(',"member_count":' || (coalesce(held.people, 0))::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
            from authorized
            join role t on t.id = authorized.role_id
            left join held on held.role_id = t.id) page on true;
