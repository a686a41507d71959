-- create_service_account: POST /api/organizations/{org_id}/service-accounts
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
      select
  true as found, o.id as organization_id, o.owner_user_id,
  o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
  verdict.denied_because from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
  cross join lateral (select
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because) by_role
  cross join lateral (
    select coalesce(by_role.denied_because, case when caller_kind.kind = 'service'
                                                 then 'forbidden' end) as denied_because
      from app_user caller_kind where caller_kind.id = caller.user_id) verdict where o.id = $3),
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

select r.* from role r
       where r.organization_id is null and r.scope = $1 and r.slug = $2 for key share of r;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
    made as (
      insert into app_user as t (id, email, name, kind, service_of, two_factor)
      select id, id || '@service.invalid', $4, 'service', $5, true
        from gen_random_uuid() id
       where (select count(*) from membership
               where organization_id = $6 and user_kind = 'service')
             < $7
      returning t.*),
    joined as (
      insert into membership (organization_id, user_id, role_id, user_kind, service_of)
      select service_of, id, $8, kind, service_of from made
      returning *),
    audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $9, 'done',
         (made.id)::text, made.service_of, null::uuid,
         null,
        jsonb_build_object('name', made.name, 'role_id', $10::uuid), $11
    from made cross join caller)
    select '{"id":' || '"' || (t.id)::uuid || '"'
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
      from made t join joined m on m.user_id = t.id join role r on r.id = m.role_id;

commit;
