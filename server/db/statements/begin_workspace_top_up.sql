-- begin_workspace_top_up: POST /api/organizations/{org_id}/billing/top-ups
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, a.id as account_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
        join (select id, organization_id from billing_account where organization_id = $3
              ) a on a.organization_id = o.id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $4),
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

begin;

select balance from billing_account where id = $1 and status <> 'closed' for update;

select (select json_build_object('user_id', user_id, 'detached', detached_at is not null)
              from payment_method where id = $1 for share) as card,
           (select coalesce(sum(amount), 0)::bigint from top_up
             where account_id = $2 and status in ('created', 'processing')) as pending,
           (select t.id from ledger_transfer l join top_up t on t.id = l.reference_id
             where $3
               and l.account_id = $4 and l.kind = 'top_up'
               and l.created_at > now() - $5::interval
               and t.account_id = l.account_id and t.payment_method_id = $6
               and t.amount = $7 and t.client_key is null and t.status = 'succeeded'
               and not exists (select from refund where top_up_id = t.id and status = 'created')
             order by l.created_at desc limit 1) as repeated;

insert into top_up
      (account_id, user_id, key_id, request_id, payment_method_id, amount, client_key, processor)
    values
      ($1, $2, $3, $4, $5,
       $6, $7, $8)
    on conflict do nothing returning *;

insert into attended_top_up (top_up_id, until)
        values ($1, now() + $2::interval);

commit;

select t.*, p.token, payer.id as payer_account_id, e.until as attended_until,
  exists (
    select from app_user u join billing_account a on a.id = t.account_id
     where u.id = t.user_id and
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($1::text[])
         and (u.two_factor or not o.require_2fa))) and (not t.automatic or
  (a.kind = 'user' or exists (
    select from auto_reload_set_by s where s.account_id = a.id and s.user_id = u.id)))) as may_charge
        from top_up t
        left join attended_top_up e on e.top_up_id = t.id
        join payment_method p on p.id = t.payment_method_id
        join billing_account payer on payer.user_id = p.user_id
       where t.id = $2;

insert into sandbox_intent (id, idempotency_key, token, amount, status)
        values ($1, $2, $3, $4, 'requires_confirmation')
        on conflict (idempotency_key) do update set idempotency_key = excluded.idempotency_key
        returning *;

update top_up t set processor_id = $1, status = 'processing', updated_at = now()
       where t.id = $2
         and (t.status = 'created' or (t.status = 'processing' and t.processor_id = $3))
         and
  exists (
    select from app_user u join billing_account a on a.id = t.account_id
     where u.id = t.user_id and
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($4::text[])
         and (u.two_factor or not o.require_2fa))) and (not t.automatic or
  (a.kind = 'user' or exists (
    select from auto_reload_set_by s where s.account_id = a.id and s.user_id = u.id))))
      returning t.id;

update sandbox_intent
         set status = $1,
             failure_code = $2,
             decline_code = $3
       where id = $4 and status = 'requires_confirmation' returning *;

begin;

select t.*, (select session_id from top_up_session where top_up_id = t.id) as session_id
      from top_up t where t.id = $1 for update;

with recursive line as (
        select id, successor_id from billing_account where id = $1
        union all
        select a.id, a.successor_id from line join billing_account a on a.id = line.successor_id)
      select a.id, a.balance, a.held, a.status, a.organization_id
        from billing_account a join line on line.id = a.id
          where a.status <> 'closed' for update of a;

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

with succeeded as (
      update top_up
         set status = 'succeeded', failure_code = null, decline_code = null,
             next_check_at = null, updated_at = now()
       where id = $1 returning id)
    insert into outbox (topic, key, payload)
    select 'top_up_succeeded', id, jsonb_build_object('top_up_id', id) from succeeded;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select t.account_id, t.request_id, t.status, t.automatic, t.failure_code, t.decline_code,
           r.paused_reason, t.created_at >= r.declines_since as counts,
           (
  select count(*) from top_up f
   where f.account_id = t.account_id and f.automatic and f.status = 'failed'
     and f.failure_code not in ('not_executed', 'canceled') and f.created_at >= r.declines_since
     and not exists (
       select from top_up s
        where s.account_id = t.account_id and s.automatic
          and s.status not in ('created', 'processing', 'failed') and s.created_at > f.created_at)) as declines,
           p.user_id = t.user_id as by_card_owner
      from top_up t
      join auto_reload r on r.account_id = t.account_id
      left join payment_method p on p.id = r.payment_method_id
     where t.id = $1 for update of r;

with due as (
      delete from invoice_due where top_up_id = $1 returning transfer_key, mails_receipt),
    written as (
  insert into invoice (
    kind, prefix, account_id, top_up_id, transfer_key, charged_at,
    total, tax, tax_rate, tax_name, tax_note,
    customer_name, customer_address, customer_country, customer_tax_id, customer_email,
    issuer_name, issuer_address, issuer_country, issuer_tax_id,
    card_brand, card_last4, processor)
  select case l.kind when 'top_up' then 'invoice' when 'refund' then 'credit_note'
                     else 'debit_note' end,
         s.prefix, l.account_id, t.id, l.idempotency_key, l.created_at,
         l.amount,
         case l.kind when 'top_up' then tax_within(l.amount, c.tax_rate)
                     when 'refund' then tax_within(r.refunded + l.amount, c.tax_rate)
                                        - tax_within(r.refunded, c.tax_rate)
                     else tax_within(r.refunded, c.tax_rate)
                          - tax_within(r.refunded - l.amount, c.tax_rate) end,
         c.tax_rate, c.tax_name, c.tax_note,
         c.customer_name, c.customer_address, c.customer_country, c.customer_tax_id,
         c.customer_email,
         c.issuer_name, c.issuer_address, c.issuer_country, c.issuer_tax_id,
         p.brand, p.last4, t.processor
    from due
    join ledger_transfer l on l.idempotency_key = due.transfer_key
    join top_up t on t.id = l.reference_id
    join payment_method p on p.id = t.payment_method_id
    cross join lateral (select * from invoice_issuer order by id desc limit 1) s
    cross join lateral (
  select coalesce(sum(case e.kind when 'refund' then e.amount else -e.amount end), 0)::bigint
         as refunded
    from ledger_transfer e
   where e.reference_id = t.id and e.kind in ('refund', 'refund_reversal')
     and (e.created_at, e.id) < (l.created_at, l.id)) r
    cross join lateral (
  select tax_rate, tax_name, tax_note,
         customer_name, customer_address, customer_country, customer_tax_id, customer_email,
         issuer_name, issuer_address, issuer_country, issuer_tax_id
    from invoice i
   where i.top_up_id = t.id and i.kind = 'invoice'
  union all
  select case when liable.abroad then 0 else liable.rate end, s.tax_name,
         case when liable.abroad then s.reverse_charge_note end,
         coalesce(d.name, o.name, u.name, u.email), coalesce(d.address, '{}'), d.country, d.tax_id,
         coalesce(d.email, payer.email),
         s.name, s.address, s.country, s.tax_id
    from billing_account a
    join billing_details d on d.id = a.id
    left join app_user u on u.id = a.user_id
    left join organization o on o.id = a.organization_id
    join app_user payer on payer.id = t.user_id
   cross join lateral (
     select rate, rate > 0 and d.tax_id is not null and d.country <> s.country as abroad
       from (values (coalesce(s.tax_rates ->> d.country, s.tax_rates ->> '*', '0')::numeric)) r (rate)
     ) liable
   where a.id = l.account_id
   limit 1) c
   order by l.created_at, l.id returning id, account_id, top_up_id, transfer_key),
    issued as (
      select written.*, due.mails_receipt from written join due using (transfer_key))
  insert into mail (kind, recipient, subject_id)
  select 'receipt', addressed.recipient, issued.id
    from issued
    join billing_account a on a.id = issued.account_id
    join billing_details d on d.id = a.id
    join top_up t on t.id = issued.top_up_id
  cross join lateral (
    select coalesce(
             d.email,
             (select u.email from app_user u where u.id = t.user_id and
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($2::text[])
         and (u.two_factor or not o.require_2fa)))),
             (select holder.email
                from app_user holder
                left join organization owned on owned.id = a.organization_id
               where holder.id = coalesce(a.user_id, owned.owner_user_id)
                 and holder.is_active)) as recipient) addressed
   where issued.mails_receipt and d.mail_receipts and addressed.recipient is not null;

commit;

select t.*, coalesce(l.balance, a.balance) as balance,
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($1::text[])
         and (u.two_factor or not o.require_2fa))) as sees_billing,
             e.until as attended_until
        from top_up t
        join app_user u on u.id = t.user_id
        left join attended_top_up e on e.top_up_id = t.id
        left join ledger_transfer l on l.idempotency_key = 'topup:' || t.id || ':credit'
        join billing_account a on a.id = coalesce(l.account_id, t.account_id)
       where t.id = $2;
