-- deactivate_user: POST /api/operator/users/{user_id}/deactivate
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

select user_id from operator order by user_id for update;

select u.id, u.email, u.name, u.is_active, u.two_factor, u.kind, u.created_at from app_user u where u.id = $1 and u.deleted_at is null for no key update;

update app_user set is_active = false, updated_at = clock_timestamp()
     where id = $1 and is_active;

update api_key set revoked_at = clock_timestamp()
     where user_id = $1 and revoked_at is null returning id;

update session set ended_at = clock_timestamp()
     where user_id = $1 and ended_at is null returning id;

update sign_in_link set ended_at = clock_timestamp()
     where user_id = $1 and ended_at is null;

select o.id, o.name
      from membership m join organization o on o.id = m.organization_id
     where m.user_id = $1 and o.owner_user_id = m.user_id order by lower(o.name), o.id;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select '{"id":' || '"' || (u.id)::uuid || '"'
           || coalesce(',"email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"two_factor_enabled":' || ((u.two_factor)::boolean)::text, '')
           || coalesce(',"is_operator":' || ((exists (select from operator o where o.user_id = u.id))::boolean)::text, '')
           || coalesce(',"owned_workspaces":' || ((select count(*) from organization o where o.owner_user_id = u.id))::bigint::text, '')
           || coalesce(',"last_seen_at":' || '"' || to_char((greatest((select max(s.last_seen_at) from session s where s.user_id = u.id),
                 (select max(k.last_used_at) from api_key k where k.user_id = u.id))) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((u.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item,
           (select count(*)::int from task_turn t
             where t.requested_by_user_id = u.id
               and t.state in ('queued', 'interrupted', 'running', 'waiting')) as open_turns
      from app_user u where u.id = $1;

commit;
