-- create_invitation: POST /api/organizations/{org_id}/invitations
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select id from organization where id = $1 for update;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $3),
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

with given as (
      select r.* from role r
       where r.id = $1 and r.scope = $2 and r.assignable
         and (r.organization_id is null or r.organization_id = $3::uuid)),
    teams as materialized (
      select id from team
       where organization_id = $4 and id = any($5::uuid[])
       order by id for key share)
    select (select json_build_object('id', id, 'slug', slug, 'acts_as', acts_as)
      from given) as role,
           o.admins_manage_admins,
           array(select id from teams) as team_ids,
           exists (select from app_user u join membership m on m.user_id = u.id
                    where (mailbox(u.email) = mailbox($6::text))
                      and m.organization_id = o.id) as is_member,
           (select count(*)::int
              from (select from invitation
                     where organization_id = o.id and status = 'pending'
                       limit $7) open) as open,
           (select json_build_object('email', i.email, 'role', r.slug, 'team_ids', array(
                     select team_id from invitation_team where invitation_id = i.id
                       order by team_id))
              from invitation i join role r on r.id = i.role_id
             where i.organization_id = o.id and mailbox(i.email) = mailbox($8)
               and i.status = 'pending') as earlier
      from organization o
     where o.id = $9;

with saved as (
      insert into invitation as i (organization_id, email, role_id, invited_by_user_id,
        invited_by_name)
      select $1, $2, $3, id, coalesce(name, '')
        from app_user where id = $4
      on conflict (organization_id, mailbox(email)) where status = 'pending' do update
         set
             email = excluded.email,
             role_id = excluded.role_id,
             generation = i.generation + 1,
             invited_by_user_id = excluded.invited_by_user_id,
             invited_by_name = excluded.invited_by_name,
             expires_at = excluded.expires_at,
             updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
      returning i.id, i.organization_id, i.email, i.generation),
    left_out as (
      delete from invitation_team it using saved
       where it.invitation_id = saved.id and it.team_id <> all($5::uuid[])),
    offered as (
      insert into invitation_team (invitation_id, organization_id, team_id)
      select saved.id, saved.organization_id, team_id
        from saved cross join unnest($6::uuid[]) team_id
      on conflict do nothing),
    mailed as (
      insert into mail (kind, recipient, subject_id, generation)
      select 'workspace_invitation', email, id, generation from saved)
    select id from saved;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select '{"id":' || '"' || (i.id)::uuid || '"'
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
       where it.invitation_id = i.id)::json::text, '') || '}' as item
      from invitation i
      join organization o on o.id = i.organization_id
      join role r on r.id = i.role_id
     where i.id = $1;

commit;
