-- update_workspace_auto_reload: PUT /api/organizations/{org_id}/billing/auto-reload
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

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
              for no key update) a on a.organization_id = o.id
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

select id from billing_account where id = $1 and status <> 'closed' for update;

select coalesce(r.enabled, false) as enabled, r.threshold, r.amount, r.monthly_cap,
         r.payment_method_id, coalesce(a.user_id, s.user_id) as set_by_user_id, r.paused_reason,
         to_char(c.last_charged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_charged_at,
         c.spent as charged_this_month,
         coalesce((extract(epoch from r.updated_at) * 1000000)::bigint, 0)::text as revision,
         true as expected
    from billing_account a
    left join lateral (
      select * from auto_reload
       where account_id = a.id for update) r on true
    left join auto_reload_set_by s on s.account_id = a.id
  cross join lateral (
    select count(*) as made,
           coalesce(sum(t.amount) filter (
             where t.status <> 'failed'
               and t.created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint as spent,
           coalesce(bool_or(t.status in ('created', 'processing')), false) as open,
           max(t.created_at) filter (
             where t.status not in ('created', 'processing', 'failed')) as last_charged_at,
           coalesce(max(t.created_at + case
                               when t.failure_code = 'not_executed' then interval '5 minutes'
                               else interval '1 hour' end), '-infinity') as free_at
      from top_up t where t.account_id = a.id and t.automatic) c
   where a.id = $1;

select p.user_id, p.detached_at is not null as detached,
           p.id is distinct from old.id and (p.fingerprint = old.fingerprint) is not true as fresh
      from payment_method p left join payment_method old on old.id = $1
     where p.id = $2 for share of p;

with saved as (
      insert into auto_reload as r
        (account_id, enabled, threshold, amount, monthly_cap, payment_method_id, updated_at)
      values
        ($1, $2, $3, $4, $5,
         $6, clock_timestamp())
      on conflict (account_id) do update
         set enabled = excluded.enabled,
             threshold = excluded.threshold,
             amount = excluded.amount,
             monthly_cap = excluded.monthly_cap,
             payment_method_id = excluded.payment_method_id,
             paused_reason = case when $7 then null else r.paused_reason end,
             declines_since = case when $8 then now() else r.declines_since end,
             updated_at =
  greatest(clock_timestamp(), r.updated_at + interval '1 microsecond')
      returning r.updated_at),
    set_by as (
      insert into auto_reload_set_by as s (account_id, user_id)
      select $9, user_id from (values ($10::uuid)) person(user_id)
       where user_id is not null
      on conflict (account_id) do update set user_id = excluded.user_id
       where s.user_id <> excluded.user_id)
    select coalesce((extract(epoch from updated_at) * 1000000)::bigint, 0)::text as revision from saved;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
