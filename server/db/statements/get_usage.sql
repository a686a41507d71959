-- get_usage: GET /api/usage
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
       else access.denied_because end is null),
      used as materialized (
        select
    null::uuid as task_id,
    d.project_id as project_id,
    null::uuid as organization_id,
    null::text as model,
    d.day as day,
    null::uuid as user_id,
               sum(d.amount)::bigint as amount, sum(d.input_tokens)::bigint as input_tokens,
               sum(d.output_tokens)::bigint as output_tokens,
               sum(d.pod_seconds)::bigint as pod_seconds, sum(d.events)::bigint as lines
          from usage_day d
         where
  (d.user_id = (select user_id from authorized)
   or d.account_id = (select account_id from authorized))
  and ((select organization_id from authorized) is null
       or d.organization_id = (select organization_id from authorized)) and d.day between $2::date and $3::date
         group by d.project_id, d.day),
      groups as (
        select u.*, row_number() over (order by u.day, -u.amount, u.project_id nulls first) as nth
          from (select u.* from used u  order by u.day, -u.amount, u.project_id nulls first limit $4) u)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
      select json_strip_nulls(json_build_object(
               'from', $5::text, 'to', $6::text,
               'total', (
                 select json_build_object(
                          'amount', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((coalesce(sum(u.amount), 0))::numeric / 1000000000)) amount (usd))::text,
                          'input_tokens', coalesce(sum(u.input_tokens), 0),
                          'output_tokens', coalesce(sum(u.output_tokens), 0),
                          'pod_seconds', coalesce(sum(u.pod_seconds), 0),
                          'lines', coalesce(sum(u.lines), 0))
                   from used u),
               'groups', coalesce(json_agg(
  json_strip_nulls(json_build_object(
    'day', u.day, 'task_id', u.task_id, 'task_title', task.title,
    'project_id', u.project_id, 'project_name', project.name,
    'organization_id', u.organization_id, 'organization_name', workspace.name,
    'user_id', u.user_id, 'user_name', person.name, 'model', u.model,
    'amount', (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((u.amount)::numeric / 1000000000)) amount (usd))::text,
    'input_tokens', u.input_tokens, 'output_tokens', u.output_tokens,
    'pod_seconds', u.pod_seconds, 'lines', u.lines)) order by u.nth)
                                    filter (where u.nth <= $7), '[]')))::text as items,
             case when max(u.nth) > $8
                  then max(array[coalesce(u.day::text, '') collate "C", (-u.amount)::text, concat_ws(' ', coalesce(u.project_id::text, '')) collate "C"])
                         filter (where u.nth = $9) end as last
        from groups u
        left join lateral (
          select p.name, p.organization_id
            from project p
  cross join caller
  left join organization o on o.id = p.organization_id
  left join lateral (
    select user_id, role_id from membership
     where organization_id = p.organization_id and user_id = caller.user_id limit 1) m on true
  left join role wr on wr.id = m.role_id
  left join project_grant g on g.project_id = p.id and g.user_id = caller.user_id
  left join role pr on pr.id = g.role_id
  cross join lateral (
    select case when p.owner_user_id = caller.user_id then 'admin'
                when o.owner_user_id = m.user_id then 'owner'
                when wr.acts_as = 'admin' or pr.id is null then wr.acts_as
                else pr.acts_as end as acts_as,
           case when p.owner_user_id = caller.user_id then '00000000-0000-4000-8000-000000000012'::uuid
                when o.owner_user_id = m.user_id then '00000000-0000-4000-8000-000000000001'::uuid
                when wr.acts_as = 'admin' or pr.id is null then wr.id
                else pr.id end as role_id,
           m.user_id is not null and o.require_2fa and not caller.two_factor as lacks_two_factor
  ) standing
           where p.id = u.project_id and standing.acts_as is not null
             and not standing.lacks_two_factor) project on true
        left join task on task.id = u.task_id and project.name is not null
        left join lateral (
          select o.name from organization o
            join membership m on m.organization_id = o.id
            join caller on caller.user_id = m.user_id
           where o.id = u.organization_id) workspace on true
        left join app_user person on person.id = u.user_id) page on true;
