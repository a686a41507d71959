-- revoke_invitation: DELETE /api/organizations/{org_id}/invitations/{invitation_id}
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
        changed as (
          update invitation i
             set status = 'revoked', updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
            from current
           where i.id = (current.row).id and (current.row).status = 'pending'
          returning i as row),
        audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $5, 'done',
         ((changed.row).id)::text, authorized.organization_id, (changed.row).project_id,
         jsonb_build_object('email', (changed.row).email, 'status', 'pending'), jsonb_build_object('email', (changed.row).email, 'status', 'revoked'), $6
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
      left join caller on true left join access on true left join (select exists (select from changed) as revoked from authorized) page on true;
