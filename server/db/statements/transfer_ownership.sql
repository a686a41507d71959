-- transfer_ownership: POST /api/organizations/{org_id}/transfer-ownership
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
      select true as found, o.id as organization_id, o.owner_user_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $3),
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

select u.two_factor or not o.require_2fa as meets_two_factor_policy
      from membership m
      join app_user u on u.id = m.user_id
      join organization o on o.id = m.organization_id
     where m.organization_id = $1 and m.user_id = $2
       and u.is_active and u.kind = 'person';

select id, balance, held, status from billing_account
      where organization_id = $1 for update;

select count(*) as top_ups from top_up
      where account_id = $1 and status in ('created', 'processing');

select r.account_id from auto_reload r join payment_method p on p.id = r.payment_method_id
     where r.account_id = $1 and r.enabled and p.user_id = $2;

with promoted as (
      update membership set role_id = '00000000-0000-4000-8000-000000000002'
       where organization_id = $1 and user_id = $2)
    update organization set owner_user_id = $3, updated_at = now()
     where id = $4 and owner_user_id = $5
    returning to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as transferred_at;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
