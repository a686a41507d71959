-- decline_invitation: POST /api/invitations/{invitation_id}/decline
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
  access as materialized (
    select true as found, null::uuid as organization_id, i.id as invitation_id,
           i.organization_id as workspace_id, i.project_id,
           p.organization_id as project_workspace_id, i.generation,
           i.expires_at <= now() as expired,
           case when me.id is null then 'forbidden'  end as denied_because
      from invitation i cross join caller
      left join app_user me on me.id = caller.user_id and (mailbox(me.email) = mailbox(i.email))
      left join organization o on o.id = i.organization_id
      left join project p on p.id = i.project_id
     where i.id = $2 and (me.id is null or i.status = 'pending')),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select t as row, true as expected
      from invitation t join authorized on t.id = authorized.invitation_id for update of t),
          changed as (
            update invitation i
               set status = 'declined', updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
              from current
             where i.id = (current.row).id and (current.row).status = 'pending'
            returning i.id),
          audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $3, 'done',
         (changed.id)::text, coalesce(workspace_id, project_workspace_id), project_id,
         '{"status":"pending"}'::jsonb, '{"status":"declined"}'::jsonb, $4
    from changed cross join authorized cross join caller)
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
      left join caller on true left join access on true left join (select exists (select from changed) as declined from authorized) page on true;
