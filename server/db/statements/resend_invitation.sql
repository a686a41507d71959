-- resend_invitation: POST /api/organizations/{org_id}/invitations/{invitation_id}/resend
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, i.id as invitation_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from (select id, organization_id from invitation
               where id = $3 and organization_id = $4
                 and status = 'pending') i
        join organization o on o.id = i.organization_id
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select t as row, true as expected
      from invitation t join authorized on t.id = authorized.invitation_id for update of t),
            permitted as materialized (
              select o.admins_manage_admins or r.acts_as <> 'admin'
                     or o.owner_user_id = caller.user_id as yes
                from current cross join caller
                join organization o on o.id = (current.row).organization_id
                join role r on r.id = (current.row).role_id),
            changed as (
              update invitation i
                 set generation = i.generation + 1,
                     expires_at = now() + interval '7 days',
                     updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
                from current, permitted
               where i.id = (current.row).id and (current.row).status = 'pending' and permitted.yes
              returning i as row),
            mailed as (
              insert into mail (kind, recipient, subject_id, generation)
              select 'workspace_invitation', (row).email, (row).id, (row).generation from changed),
            audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $5, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, null::uuid,
         jsonb_build_object('email', (current.row).email, 'expires_at', (current.row).expires_at), jsonb_build_object('email', (changed.row).email, 'expires_at', (changed.row).expires_at), $6
    from changed cross join current cross join caller)
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
            select (select yes from permitted) as permitted,
                   (select '{"id":' || '"' || (i.id)::uuid || '"'
           || coalesce(',"organization_id":' || '"' || (i.organization_id)::uuid || '"', '')
           || coalesce(',"email":' || to_json((i.email)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"status":' || '"' || case when i.expires_at > now() then 'pending' else 'expired' end || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((i.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"expires_at":' || '"' || to_char((i.expires_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"invite_link":' || to_json((case when i.expires_at > now() then i.id || ':' || i.generation end)::text)::text, '')
           || coalesce(',"invited_by_name":' || to_json((i.invited_by_name)::text)::text, '')
           || coalesce(',"organization_name":' || to_json((o.name)::text)::text, '')
           || coalesce(',"organization_color":' || '"' || o.color || '"', '')
           || coalesce(',"organization_icon":' || to_json((o.icon)::text)::text, '')
           || coalesce(',"require_2fa_before_join":' || ((o.require_2fa)::boolean)::text, '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"teams":' || (
      select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name)
                               order by lower(t.name) collate "C", t.id), '[]')
        from invitation_team it join team t on t.id = it.team_id
       where it.invitation_id = i.id)::json::text, '') || '}'
                      from changed, lateral (select (changed.row).*) i
                      join organization o on o.id = i.organization_id
                      join role r on r.id = i.role_id) as item
              from authorized) page on true;
