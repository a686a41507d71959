-- get_notification_settings: GET /api/account/notifications
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
          select '{"mail":' || '"' || t.mail || '"'
           || coalesce(',"push":' || ((t.push)::boolean)::text, '')
           || coalesce(',"events_off":' || (to_json(t.events_off))::json::text, '')
           || coalesce(',"quiet_hours":' || (
      case when t.quiet_from is not null
           then json_build_object('from', to_char(t.quiet_from, 'HH24:MI'),
                                  'until', to_char(t.quiet_until, 'HH24:MI')) end)::json::text, '')
           || coalesce(',"daily_at":' || to_json((to_char(t.daily_at, 'HH24:MI'))::text)::text, '')
           || coalesce(',"time_zone":' || to_json((t.time_zone)::text)::text, '') || '}' as item
            from authorized
            left join notification_setting s on s.user_id = authorized.user_id,
                 lateral (select coalesce(s.mail, 'at_once') as mail, coalesce(s.push, true) as push,
                                 coalesce(s.events_off, '{}') as events_off, s.quiet_from, s.quiet_until,
                                 coalesce(s.daily_at, '08:00') as daily_at,
                                 coalesce(s.time_zone, 'UTC') as time_zone) t) page on true;
