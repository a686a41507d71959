-- update_service_account: PUT /api/service-accounts/{service_account_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select
  true as found, o.id as organization_id, o.owner_user_id,
  o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
  verdict.denied_because, u.id as service_account_id
        from (select id, service_of from app_user where id = $2) u
        join organization o on o.id = u.service_of
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
  cross join lateral (select
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($3::text[]))
       then 'forbidden' end as denied_because) by_role
  cross join lateral (
    select coalesce(by_role.denied_because, case when caller_kind.kind = 'service'
                                                 then 'forbidden' end) as denied_because
      from app_user caller_kind where caller_kind.id = caller.user_id) verdict
       where exists (select from membership own
                 where own.organization_id = u.service_of and own.user_id = u.id)),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
          current as materialized (
            select t as row, true as expected
              from app_user t join authorized on t.id = authorized.service_account_id
               for update of t),
          changed as (
            update app_user t
               set name = coalesce($4, t.name),
                   updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
              from current
             where t.id = (current.row).id and current.expected
               and t.name <> coalesce($5, t.name)
            returning t as row),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $6, 'done',
         ((changed.row).id)::text, (changed.row).service_of, null::uuid,
         jsonb_build_object('name', (current.row).name), jsonb_build_object('name', (changed.row).name), $7
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
          select current.expected, '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"organization_id":' || '"' || (t.service_of)::uuid || '"', '')
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"keys":' || (
      (select count(*) from api_key k
        where k.user_id = t.id and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())))::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
            from current left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t
  join membership m on m.organization_id = t.service_of and m.user_id = t.id
  join role r on r.id = m.role_id) page on true;
