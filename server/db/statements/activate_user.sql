-- activate_user: POST /api/operator/users/{user_id}/activate
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select from operator order by user_id for update;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    target as materialized (
  select id as target_id from app_user
   where id = $2 and kind = 'person' and deleted_at is null),
    access as materialized (
      select true as found, null::uuid as organization_id, target.*, case when not
  exists (select from operator where operator.user_id = caller.user_id) then 'operator_required' end as denied_because
        from caller left join target on true
       where target.target_id is not null or not
  exists (select from operator where operator.user_id = caller.user_id)),
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

select u.id, u.email, u.name, u.is_active, u.two_factor, u.kind, u.created_at from app_user u where u.id = $1 and u.deleted_at is null for no key update;

update app_user set is_active = true, updated_at = clock_timestamp()
     where id = $1 and not is_active;

select '{"id":' || '"' || (u.id)::uuid || '"'
           || coalesce(',"email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"two_factor_enabled":' || ((u.two_factor)::boolean)::text, '')
           || coalesce(',"is_operator":' || ((exists (select from operator o where o.user_id = u.id))::boolean)::text, '')
           || coalesce(',"owned_workspaces":' || ((select count(*) from organization o where o.owner_user_id = u.id))::bigint::text, '')
           || coalesce(',"last_seen_at":' || '"' || to_char((greatest((select max(s.last_seen_at) from session s where s.user_id = u.id),
                 (select max(k.last_used_at) from api_key k where k.user_id = u.id))) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((u.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item from app_user u where u.id = $1;

commit;
