-- export_usage: GET /api/usage/export
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.user_id, a.id as account_id, caller.scope as organization_id,
             null::text as denied_because
        from caller join billing_account a on a.user_id = caller.user_id),
    authorized as materialized (
      select access.* from access cross join caller where
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (select) page on true;

begin isolation level repeatable read read only;

declare batches no scroll cursor for
    select json_strip_nulls(json_build_object(
             'id', e.id, 'occurred_at', to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'kind', e.kind,
             'task_id', e.task_id, 'project_id', e.project_id,
             'organization_id', e.organization_id, 'user_id', e.user_id, 'model', e.model,
             'amount', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((e.amount)::numeric / 1000000000)) amount (usd))::text, 'input_tokens', e.input_tokens,
             'output_tokens', e.output_tokens, 'pod_seconds', e.pod_seconds,
             'paid_by_you', e.account_id = $1::uuid)) as line
      from (
      (select e.* from usage_event e
        where e.account_id = $2  and e.occurred_at >= $3::date::timestamp at time zone 'UTC' and e.occurred_at < ($4::date + 1)::timestamp at time zone 'UTC'
        order by e.occurred_at, e.id) union all
      (select e.* from usage_event e
        where e.user_id = $5 and e.account_id <> $6  and e.occurred_at >= $7::date::timestamp at time zone 'UTC' and e.occurred_at < ($8::date + 1)::timestamp at time zone 'UTC'
        order by e.occurred_at, e.id)) e
     order by e.occurred_at, e.id;

fetch 500 from batches;

close batches;

rollback;
