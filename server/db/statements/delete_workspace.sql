-- delete_workspace: DELETE /api/organizations/{org_id}
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

select id, balance, held, status, kind from billing_account
     where organization_id = $1 or user_id = $2 order by id for update;

select count(*) as top_ups from top_up
      where account_id = $1 and status in ('created', 'processing');

with mode as materialized (
      select not test_money and voided_at is null as voiding from billing_mode for share)
    select coalesce(sum(amount), 0)::bigint as coming,
           coalesce((select voiding from mode), false) as voiding
      from top_up where account_id = $1 and status in ('created', 'processing');

with posted as (
      insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
        amount, account_id,
                                   reference_type, reference_id)
      values ($1, $2, $3, $4, $5, $6,
              $7, $8)
      returning id, kind, account_id, previous_balance, balance, version),
  low as (
    insert into outbox (topic, key, payload)
    select 'low_balance', p.id,
           jsonb_build_object('account_id', p.account_id, 'threshold', coalesce(r.threshold, 5000000))
      from posted p
      left join auto_reload r on r.account_id = p.account_id and r.enabled
     where p.kind <> 'void' and p.balance < coalesce(r.threshold, 5000000)
       and p.previous_balance >= coalesce(r.threshold, 5000000))
    select balance, version from posted;

with posted as (
      insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
        amount, account_id,
                                   reference_type, reference_id)
      values ($1, $2, $3, $4, $5, $6,
              $7, $8)
      returning id, kind, account_id, previous_balance, balance, version),
  low as (
    insert into outbox (topic, key, payload)
    select 'low_balance', p.id,
           jsonb_build_object('account_id', p.account_id, 'threshold', coalesce(r.threshold, 5000000))
      from posted p
      left join auto_reload r on r.account_id = p.account_id and r.enabled
     where p.kind <> 'void' and p.balance < coalesce(r.threshold, 5000000)
       and p.previous_balance >= coalesce(r.threshold, 5000000))
    select balance, version from posted;

update auto_reload
         set enabled = false,
             updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where account_id = $1;

with ended as (delete from spend_limit where account_id = $1)
    update billing_account set status = 'closed', successor_id = $2
     where id = $3 and balance = 0 and held = 0 returning id;

delete from team where organization_id = $1;

delete from project_grant g using project p, membership m
     where p.id = g.project_id and p.organization_id = $1
       and m.organization_id = p.organization_id and m.user_id = g.user_id;

with replaced as (
      select id, built_in_id from
  (select custom.id, custom.organization_id, built_in.id as built_in_id
     from role custom
     join role built_in on built_in.organization_id is null and built_in.scope = custom.scope
                       and built_in.slug = custom.acts_as
    where custom.organization_id is not null) custom where organization_id = $1),
    offered as (
      update invitation i set role_id = built_in_id
        from replaced where i.role_id = replaced.id and i.project_id is not null)
    update project_grant g set role_id = built_in_id
      from replaced where g.role_id = replaced.id;

delete from invitation where organization_id = $1 returning status;

update project set organization_id = null, updated_at = now()
     where organization_id = $1 returning id;

delete from membership where organization_id = $1;

delete from role where organization_id = $1;

delete from organization where id = $1 and owner_user_id = $2
    returning to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as deleted_at;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
