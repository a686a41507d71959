-- list_my_invitations: GET /api/invitations
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, null::uuid as organization_id, null::text as denied_because
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
      from (select '{"id":' || '"' || (i.id)::uuid || '"'
           || coalesce(',"kind":' || '"' || i.scope || '"', '')
           || coalesce(',"email":' || to_json((i.email)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((i.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"expires_at":' || '"' || to_char((i.expires_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"invited_by_name":' || to_json((i.invited_by_name)::text)::text, '')
           || coalesce(',"organization_id":' || '"' || (i.organization_id)::uuid || '"', '')
           || coalesce(',"organization_name":' || to_json((o.name)::text)::text, '')
           || coalesce(',"organization_color":' || '"' || o.color || '"', '')
           || coalesce(',"organization_icon":' || to_json((o.icon)::text)::text, '')
           || coalesce(',"project_id":' || '"' || (i.project_id)::uuid || '"', '')
           || coalesce(',"project_name":' || to_json((p.name)::text)::text, '')
           || coalesce(',"require_2fa_before_join":' || ((coalesce(o.require_2fa, false))::boolean)::text, '') || '}' as json, row_number() over (order by i.created_at desc, i.id desc) as place,
                   array[(i.created_at)::text, (i.id)::text] as key
    from authorized
    cross join caller
    join app_user me on me.id = caller.user_id
    join invitation i on (mailbox(i.email) = mailbox(me.email))
    join role r on r.id = i.role_id
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.status = 'pending' and i.expires_at > now()
             order by i.created_at desc, i.id desc limit $5) entry) page on true;
