-- update_workspace_spend_limits: PUT /api/organizations/{org_id}/billing/spend-limits
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select p.id from project p
     where p.id = any($1::uuid[])
        or p.id in (select t.project_id from task t where t.id = any($2::uuid[]))
     order by p.id for share;

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

select id from billing_account
       where id = $1 and status <> 'closed' for no key update;

with wanted as materialized (
    select * from json_to_recordset($1::json)
      w(place integer, subject text, subject_id uuid)),
  unknown as (
    select w.place from wanted w join billing_account a on a.id = $2
     where w.subject <> 'balance'
       and not exists (select from spend_limit l
                        where l.account_id = a.id and l.subject_id = w.subject_id
                          and l.subject = w.subject)
       and (case w.subject
         when 'project' then exists (
           select from project p where p.id = w.subject_id and (p.organization_id = a.organization_id or p.owner_user_id = a.user_id))
         when 'task' then exists (
           select from task t join project p on p.id = t.project_id
            where t.id = w.subject_id and (p.organization_id = a.organization_id or p.owner_user_id = a.user_id))
         else w.subject_id = a.user_id
           or exists (select from membership m
                       where m.organization_id = a.organization_id and m.user_id = w.subject_id)
           or exists (select from project_grant g join project p on p.id = g.project_id
                       where g.user_id = w.subject_id and (p.organization_id = a.organization_id or p.owner_user_id = a.user_id)) end) is not true)
  select coalesce(json_agg(json_strip_nulls(json_build_object(
           'subject', l.subject, 'subject_id', l.subject_id, 'amount', l.amount::text))), '[]')
           as items,
         true as expected,
         (select coalesce(json_agg(place), '[]') from unknown) as unknown
    from spend_limit l where l.account_id = $3;

with wanted as materialized (
      select * from json_to_recordset($1::json)
        w(subject text, subject_id uuid, amount bigint)),
    removed as (
      delete from spend_limit l using wanted w
       where l.account_id = $2 and w.amount is null
         and l.subject_id is not distinct from w.subject_id)
    insert into spend_limit as l (account_id, project_id, user_id, task_id, amount)
    select $3, case subject when 'project' then subject_id end,
           case subject when 'member' then subject_id end,
           case subject when 'task' then subject_id end, amount
      from wanted where amount is not null
    on conflict on constraint spend_limit_is_one_row do update
       set amount = excluded.amount, warned_in = null, reached_in = null,
           updated_at = greatest(clock_timestamp(), l.updated_at + interval '1 microsecond');

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

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
    from (select $1::uuid as id) a
    join spend_limit l on l.account_id = a.id
    left join project p on p.id = l.project_id
    left join app_user u on u.id = l.user_id
    left join task t on t.id = l.task_id;

commit;
