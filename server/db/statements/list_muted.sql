-- list_muted: GET /api/account/notifications/muted
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, caller.user_id, null::uuid as organization_id,
             null::text as denied_because
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
    select '[' || coalesce(string_agg(json, ','
      order by place) filter (where place <= $2), '')
             || ']' as items,
           case when max(place) > $3
                then max(key) filter (where place = $4) end as last
      from (select '{"kind":' || '"' || e.kind || '"'
           || coalesce(',"id":' || '"' || (e.id)::uuid || '"', '')
           || coalesce(',"project_id":' || '"' || (e.project_id)::uuid || '"', '')
           || coalesce(',"title":' || to_json((e.title)::text)::text, '')
           || coalesce(',"muted_at":' || '"' || to_char((e.muted_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as json, row_number() over (order by e.muted_at desc, e.id desc) as place,
                   array[(e.muted_at)::text, (e.id)::text] as key
    from authorized cross join lateral (
      select 'task' as kind, t.id, t.project_id, t.title, s.updated_at as muted_at
        from task_subscription s join task t on t.id = s.task_id
       where s.user_id = authorized.user_id and s.state = 'muted'
      union all
      select 'project', p.id, p.id, p.name, m.muted_at
        from project_mute m join project p on p.id = m.project_id
       where m.user_id = authorized.user_id) e
   where exists (select from project_person person
                  where person.project_id = e.project_id and person.user_id = authorized.user_id
                    and
  (person.hidden_reason is null and person.acts_as = any($5::text[])))
             order by e.muted_at desc, e.id desc limit $6) entry) page on true;
