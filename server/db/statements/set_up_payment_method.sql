-- set_up_payment_method: POST /api/billing/payment-methods/setup
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, a.id as account_id, null::uuid as organization_id,
             null::text as denied_because
        from billing_account a join caller on a.user_id = caller.user_id
       ),
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

insert into sandbox_setup (id, token) values ($1, $2);

begin;

insert into card_setup
      (id, user_id, key_id, session_id, request_id, processor, processor_id)
    select $1, $2, $3, $4, $5, $6, $7
     where (select count(*) from payment_method
             where user_id = $8 and detached_at is null) < $9
    returning id, status, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;

select user_id, key_id, session_id, request_id, processor_id from card_setup
       where id = $1 and status = 'open' and processor = $2;

select token from sandbox_setup where id = $1;

begin;

select id from billing_account where user_id = $1 for no key update;

select id from card_setup where id = $1 and status = 'open' for update;

select count(*)::int as count from payment_method
     where user_id = $1 and detached_at is null;

insert into payment_method (id, user_id, token, brand, last4, exp_month, exp_year, fingerprint)
    values ($1, $2, $3, $4, $5, $6, $7, $8);

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

update card_setup
       set status = 'succeeded', payment_method_id = $1, next_check_at = null,
           updated_at = now()
     where id = $2;

commit;

select id, status, payment_method_id, failure_code,
             to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
        from card_setup where id = $1;
