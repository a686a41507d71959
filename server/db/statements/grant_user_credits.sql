-- grant_user_credits: POST /api/operator/users/{user_id}/credits
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select from operator o join api_key k on k.user_id = o.user_id
           where k.secret_hash = $1 for share of o;

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

select mode, test_money as "testMoney", not test_money and voided_at is null as voiding
      from billing_mode;

select a.id, a.balance,
           (select coalesce(sum(amount), 0)::bigint from top_up
             where account_id = a.id and status in ('created', 'processing')) as coming
      from billing_account a
     where a.status <> 'closed'
       and a.user_id = $1
       for update;

select l.id, l.balance,
           l.account_id = $1 and l.amount = $2
             and e.after ->> 'reason' = $3 as same
      from ledger_transfer l join audit_event e on e.id = l.reference_id
     where l.idempotency_key = $4;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

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

select id from ledger_transfer where idempotency_key = $1;

commit;
