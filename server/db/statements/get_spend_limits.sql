-- get_spend_limits: GET /api/billing/spend-limits
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
      left join caller on true left join access on true left join (
  select coalesce(json_agg(json_strip_nulls(json_build_object(
           'id', l.id, 'subject', l.subject, 'subject_id', l.subject_id,
           'subject_name', coalesce(p.name, u.name, u.email, t.title),
           'amount', l.amount::text, 'spent', ceil(
  coalesce(case l.subject
    when 'project' then
      (select sum(d.amount) from usage_day d where
  d.account_id = l.account_id
  and d.day >=
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date and d.day <
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date + interval '1 month' and d.project_id = l.project_id)
    when 'member' then
      (select sum(d.amount) from usage_day d where
  d.account_id = l.account_id
  and d.day >=
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date and d.day <
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date + interval '1 month' and d.user_id = l.user_id)
    when 'task' then
      (select sum(d.amount) from usage_day d where
  d.account_id = l.account_id
  and d.day >=
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date and d.day <
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date + interval '1 month' and d.task_id = l.task_id)
    else (select sum(d.amount) from usage_day d where
  d.account_id = l.account_id
  and d.day >=
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date and d.day <
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date + interval '1 month') end, 0) / 1000)::bigint::text,
           'created_at', to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'updated_at', to_char(l.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
           order by array_position(array['balance', 'project', 'member', 'task'], l.subject), l.created_at, l.id), '[]') as items,
         to_char(
           (
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date + interval '1 month') at time zone 'UTC' at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as resets_at,
  md5(coalesce(string_agg(l.id || ':' || l.amount, ',' order by l.id), '')) as revision
    from (select account_id as id from authorized) a
    join spend_limit l on l.account_id = a.id
    left join project p on p.id = l.project_id
    left join app_user u on u.id = l.user_id
    left join task t on t.id = l.task_id) page on true;
