-- list_inbox: GET /api/inbox
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.scope as organization_id, null::text as denied_because
        from caller),
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
      select '[' || coalesce(string_agg('{"kind":' || '"' || e.kind || '"'
           || coalesce(',"task_id":' || '"' || (e.task_id)::uuid || '"', '')
           || coalesce(',"project_id":' || '"' || (e.project_id)::uuid || '"', '')
           || coalesce(',"organization_id":' || '"' || (e.organization_id)::uuid || '"', '')
           || coalesce(',"invitation_id":' || '"' || (e.invitation_id)::uuid || '"', '')
           || coalesce(',"title":' || to_json((e.title)::text)::text, '')
           || coalesce(',"since":' || '"' || to_char((e.since) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"snoozed_until":' || '"' || to_char(((select m.snoozed_until from
  inbox_mark m
   where m.user_id = (select user_id from caller) and m.task_id = e.task_id
     and date_trunc('milliseconds', e.since) <= m.seen
     and (m.snoozed_until is null or m.snoozed_until > now()))) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}', ',' order by e.since desc, e.id desc), '') || ']' as items,
             null::text[] as last
      from (
  select 'plan_approval' as kind, e.id, e.id as task_id, p.id as project_id, p.organization_id,
         null::uuid as invitation_id, e.title, e.since
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($2::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
   cross join lateral (
     select * from (
       select l.task_id as id, t.title, l.revised_at as since
         from plan l
         join task t on t.id = l.task_id and t.status = 'awaiting_approval'
                    and t.archived_at is null
        where l.project_id = p.id and l.approved_version is distinct from l.version) e
      where exists (select from
  inbox_mark m
   where m.user_id = (select user_id from caller) and m.task_id = e.id
     and date_trunc('milliseconds', e.since) <= m.seen
     and (m.snoozed_until is null or m.snoozed_until > now())) = $3  ) e union all
  select e.status, e.id, e.id, p.id, p.organization_id, null::uuid, e.title, e.since
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($4::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
   cross join lateral (
     select * from (
       select o.task_id as id, t.title, t.status, o.since
         from task_outcome o
         join task t on t.id = o.task_id and t.status in ('ready', 'failed')
                    and t.archived_at is null
        where o.project_id = p.id and o.user_id = (select user_id from caller)
          and o.since > now() - interval '30 days'
          and not exists (
            select from pull_request pr
              left join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
             where pr.task_id = o.task_id
               and case pr.state when 'open' then t.status = 'ready' and s.conclusion = 'failed'
                                 else pr.updated_at >= o.since end)) e
      where exists (select from
  inbox_mark m
   where m.user_id = (select user_id from caller) and m.task_id = e.id
     and date_trunc('milliseconds', e.since) <= m.seen
     and (m.snoozed_until is null or m.snoozed_until > now())) = $5  ) e union all
  select 'question', r.id, t.id, p.id, p.organization_id, null::uuid, t.title, r.created_at
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($6::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
    join task t on t.project_id = p.id and t.status = 'awaiting_answer'
    join agent_request r on r.task_id = t.id and r.state = 'open'
            union all
  select 'funds', t.id, t.id, p.id, p.organization_id, null::uuid, t.title, t.updated_at
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($7::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
    join task t on t.project_id = p.id and t.status = 'paused'
               and t.status_reason = 'insufficient_funds' union all
  select 'funds', t.id, t.id, p.id, p.organization_id, null::uuid, t.title, t.updated_at
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($8::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
    join task t on t.project_id = p.id and t.status = 'paused' and t.status_reason = 'spend_limit'
    join billing_account a on a.organization_id = p.organization_id or a.user_id = p.owner_user_id
    join app_user u on u.id = person.user_id and
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any($9::text[])
         and (u.two_factor or not o.require_2fa))) union all
  select 'failed_checks', s.id, t.id, p.id, p.organization_id, null::uuid, t.title, s.ended_at
    from
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any($10::text[])
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id) and p.archived_at is null
    join repository r on r.project_id = p.id
    join pull_request pr on pr.repository_id = r.id and pr.state = 'open'
    join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
               and s.conclusion = 'failed'
    join task t on t.id = pr.task_id and t.archived_at is null
               and t.status not in ('queued', 'planning', 'building', 'awaiting_answer')
            union all
  select 'invitation', i.id, null::uuid, i.project_id, coalesce(i.organization_id,
    p.organization_id),
         i.id, coalesce(o.name, p.name), i.created_at
    from authorized
    cross join caller
    join app_user u on u.id = caller.user_id
    join invitation i on (mailbox(i.email) = mailbox(u.email))
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.status = 'pending' and i.expires_at > now()
     and (authorized.organization_id is null
          or authorized.organization_id = coalesce(i.organization_id, p.organization_id)) union all
  select 'funds', a.id, null::uuid, null::uuid, a.organization_id, null::uuid,
         case when a.status = 'frozen'
              then coalesce('The balance of "' || a.name || '"', 'Your balance') || case
                     when a.balance < 0 and m.mode = 'credits' then
                       ' is negative: ask the operator of this server for credits'
                     when a.balance < 0 then ' is negative: add funds to use it again'
                     else ' is frozen: ask the operator of this server' end
              else coalesce('Auto-reload of "' || a.name || '"',
                'Your auto-reload') || case r.paused_reason
                     when 'declined' then
                       ' is paused because its card was declined: choose another card, or add funds'
                     when 'authentication_required' then
                       ' is paused because its card needs a confirmation: add funds'
                     when 'card_lost' then
                       ' is paused because its card was lost: choose another card'
                     when 'refunded' then ' is paused after a refund: switch it off and on again'
                     else ' is paused after a dispute: switch it off and on again' end
         end,
         case when a.status = 'frozen' then coalesce(f.since, a.created_at) else r.updated_at end
    from authorized
    cross join caller
    cross join lateral (
  select a.id, a.status, a.balance, a.created_at, null::uuid as organization_id, null::text as name
    from billing_account a
   where a.user_id = caller.user_id and authorized.organization_id is null
  union all
  select a.id, a.status, a.balance, a.created_at, o.id, o.name
    from membership m
    join organization o on o.id = m.organization_id
    join role on role.id = m.role_id
    join billing_account a on a.organization_id = o.id
   where m.user_id = caller.user_id
     and (authorized.organization_id is null or authorized.organization_id = o.id)
     and (caller.two_factor or not o.require_2fa)
     and case when o.owner_user_id = m.user_id then 'owner' else role.acts_as end
         = any($11::text[])) a
    left join billing_mode m on true
    left join auto_reload r on r.account_id = a.id and r.enabled and r.paused_reason is not null
                            and (m.mode in ('credits', 'off')) is not true
    left join lateral (
  select min(created_at) as since
    from ledger_transfer
   where account_id = a.id
     and version > coalesce((select version from ledger_transfer
                              where account_id = a.id and balance >= 0
                              order by version desc limit 1), 0)) f on a.status = 'frozen'
   where (a.status = 'frozen' and m.mode is distinct from 'off') or r.account_id is not null) e
     where exists (select from
  inbox_mark m
   where m.user_id = (select user_id from caller) and m.task_id = e.task_id
     and date_trunc('milliseconds', e.since) <= m.seen
     and (m.snoozed_until is null or m.snoozed_until > now())) = $12 ) page on true;
