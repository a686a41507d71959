-- get_plan_estimate: GET /api/tasks/{task_id}/plan/estimate
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id,
             standing.acts_as,
  case when standing.lacks_two_factor then 'two_factor_required'
       when p.owner_user_id = caller.user_id or o.owner_user_id = m.user_id
            or wr.acts_as = any($2::text[]) then null
       else 'forbidden' end as denied_because
        from (select * from task where id = $3) t
        join project p on p.id = t.project_id
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
  ) standing),
    authorized as materialized (
      select access.* from access cross join caller where
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
    wanted as materialized (
      select t.id, p.id as project_id, payer.id as account_id, t.spend_cap as cap,
             case when payer.status = 'active' then greatest(payer.balance - payer.held, 0)
                  else 0 end as available,
  coalesce(t.model, p.default_model, $4::text) as model,
             exists (select from billing_mode where mode = 'off') as is_off
        from authorized
        join task t on t.id = authorized.task_id
        join project p on p.id = t.project_id
        left join lateral (
  select a.* from paying_account a
   where a.organization_id = p.organization_id and a.status <> 'closed'
  union all
  select a.* from paying_account a where a.user_id = p.owner_user_id) payer on true),
    newest as materialized (
      select u.task_id, u.spent_nano, u.ended_at
        from wanted
        cross join lateral (
          select task_id, spent_nano, ended_at from task_turn
           where account_id = wanted.account_id and kind = 'build' and state = 'done'
           order by ended_at desc limit $5) u
       where not wanted.is_off),
    past as materialized (
      select newest.spent_nano, newest.ended_at, p.id = wanted.project_id as here
        from newest
        cross join wanted
        join task t on t.id = newest.task_id
        join project p on p.id = t.project_id
        cross join lateral (
          select min(model) as first, max(model) as last from usage_day
           where task_id = t.id and model is not null) used
       where coalesce(used.first,
  coalesce(t.model, p.default_model, $6::text)) = wanted.model
         and coalesce(used.last, wanted.model) = wanted.model),
    counted as (
      select spent_nano, here from past
       where here or not exists (select from past where here)
       order by ended_at desc limit $7)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
    select wanted.is_off, wanted.model, wanted.cap, wanted.available,
           (select ceil(coalesce(sum(spent_nano), 0) / 1000)::bigint
              from task_turn where task_id = wanted.id) as spent,
           of_past.count, of_past.here, of_past.costs[1] as low, of_past.costs[2] as likely,
           of_past.costs[3] as high
      from wanted
      cross join lateral (
        select count(*) as count, bool_and(here) as here,
               percentile_disc(array[0.2, 0.5, 0.9]) within group (
                 order by ceil(spent_nano / 1000.0)::bigint) as costs
          from counted) of_past) page on true;
