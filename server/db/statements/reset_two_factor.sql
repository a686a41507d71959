-- reset_two_factor: POST /api/operator/users/{user_id}/reset-two-factor
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select from operator o join session s on s.user_id = o.user_id
           where s.token_hash = $1 for share of o;

with caller as materialized (
  select u.id as user_id, null::uuid as key_id, s.id as session_id, u.two_factor,
         false as read_only, null::uuid as scope, s.pending, s.proven_at, s.token_hash
    from session s join app_user u on u.id = s.user_id
   where s.token_hash = $1 and not s.pending
     and s.ended_at is null and s.expires_at > now() and u.is_active),
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
       when access.denied_because is null and
            (caller.proven_at > now() - make_interval(mins => $3))
            is not true then 'proof_required'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       when access.denied_because is null and
            (caller.proven_at > now() - make_interval(mins => $4))
            is not true then 'proof_required'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select) page on true;

select u.id, u.email, u.name, u.is_active, u.two_factor, u.kind, u.created_at from app_user u where u.id = $1 and u.deleted_at is null for no key update;

with apps as (delete from totp where user_id = $1 returning user_id),
    keys as (delete from passkey where user_id = $2 returning id),
    codes as (delete from recovery_code where user_id = $3 returning id),
    ended as (
      update session set ended_at = clock_timestamp()
       where user_id = $4 and ended_at is null returning id)
    select (select count(*) from apps)::int as totp, (select count(*) from keys)::int as passkeys,
           (select count(*) from codes)::int as recovery_codes,
           (select count(*) from ended)::int as sessions_ended;

update app_user set two_factor = false, updated_at = clock_timestamp()
     where id = $1 and two_factor;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
