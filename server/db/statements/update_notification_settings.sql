-- update_notification_settings: PUT /api/account/notifications
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
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
    changed as (
      insert into notification_setting as t
             (user_id, mail, push, events_off, daily_at, time_zone, quiet_from, quiet_until)
      select authorized.user_id, coalesce($2::text, 'at_once'), coalesce($3::boolean, true),
             coalesce((select array_agg(distinct kind) from unnest($4::text[]) kind), '{}'), coalesce($5::time, '08:00'),
             coalesce($6::text, 'UTC'), $7::time, $8::time
        from authorized
       where $9::text is null
          or exists (select from pg_timezone_names z where z.name = $10::text)
      on conflict (user_id) do update
         set mail = coalesce($11::text, t.mail), push = coalesce($12::boolean, t.push),
             events_off = case when $13 then t.events_off
                               else coalesce((select array_agg(distinct kind) from unnest($14::text[]) kind), '{}') end,
             daily_at = coalesce($15::time, t.daily_at),
             time_zone = coalesce($16::text, t.time_zone),
             quiet_from = case when $17 then t.quiet_from else $18::time end,
             quiet_until = case when $19 then t.quiet_until else $20::time end,
             updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
      returning t as row)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when caller.user_id is null then deny('unauthenticated')
       when access.found is null then deny('not_found')
       else deny(
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end) end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
          select case when t.user_id is not null then '{"mail":' || '"' || t.mail || '"'
           || coalesce(',"push":' || ((t.push)::boolean)::text, '')
           || coalesce(',"events_off":' || (to_json(t.events_off))::json::text, '')
           || coalesce(',"quiet_hours":' || (
      case when t.quiet_from is not null
           then json_build_object('from', to_char(t.quiet_from, 'HH24:MI'),
                                  'until', to_char(t.quiet_until, 'HH24:MI')) end)::json::text, '')
           || coalesce(',"daily_at":' || to_json((to_char(t.daily_at, 'HH24:MI'))::text)::text, '')
           || coalesce(',"time_zone":' || to_json((t.time_zone)::text)::text, '') || '}' end as item
            from authorized left join changed on true, lateral (select (changed.row).*) t) page on true;
