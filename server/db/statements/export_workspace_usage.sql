-- export_workspace_usage: GET /api/organizations/{org_id}/usage/export
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, a.id as account_id, caller.user_id,
             case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
               = any($2::text[]) as sees_all,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($3::text[]))
       then 'forbidden' end as denied_because
        from organization o
        join billing_account a on a.organization_id = o.id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $4),
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
        order by e.occurred_at, e.id)) e
     order by e.occurred_at, e.id;

fetch 500 from batches;

close batches;

rollback;
