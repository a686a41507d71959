-- create_project_invitation: POST /api/projects/{project_id}/invitations
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select lock_project($1);

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             standing.acts_as, standing.role_id,
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($2::text[])) is not true
            then 'forbidden' end as denied_because
        from (select * from project where id = $3
              ) p
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
       where r.organization_id is null and r.scope = $1 and r.slug = $2)
    select (select json_build_object('id', id, 'slug', slug) from given) as role,
           exists (
             select from app_user u
              where (mailbox(u.email) = mailbox($3::text))
                and (u.id = p.owner_user_id
                     or exists (select from membership
                                 where organization_id = p.organization_id and user_id = u.id)
                     or exists (select from project_grant
                                 where project_id = p.id and user_id = u.id))) as is_on_project,
           (select count(*)::int
              from (select from invitation
                     where project_id = p.id and status = 'pending'
                       limit $4) open) as open,
           (select json_build_object('email', i.email, 'role', r.slug)
              from invitation i join role r on r.id = i.role_id
             where i.project_id = p.id and mailbox(i.email) = mailbox($5)
               and i.status = 'pending') as earlier
      from project p
     where p.id = $6;

with saved as (
      insert into invitation as i
             (project_id, scope, email, role_id, invited_by_user_id, invited_by_name)
      select $1, 'project', $2, $3, id, coalesce(name, '')
        from app_user where id = $4
      on conflict (project_id, mailbox(email)) where status = 'pending' do update
         set
             email = excluded.email,
             role_id = excluded.role_id,
             generation = i.generation + 1,
             invited_by_user_id = excluded.invited_by_user_id,
             invited_by_name = excluded.invited_by_name,
             expires_at = excluded.expires_at,
             updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
      returning i.id, i.email, i.generation),
    mailed as (
      insert into mail (kind, recipient, subject_id, generation)
      select 'project_invitation', email, id, generation from saved)
    select id from saved;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select '{"id":' || '"' || (i.id)::uuid || '"'
           || coalesce(',"project_id":' || '"' || (i.project_id)::uuid || '"', '')
           || coalesce(',"email":' || to_json((i.email)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"status":' || '"' || case when i.expires_at > now() then 'pending' else 'expired' end || '"', '')
           || coalesce(',"created_at":' || '"' || to_char((i.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"expires_at":' || '"' || to_char((i.expires_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"invite_link":' || to_json((case when i.expires_at > now() then i.id || ':' || i.generation end)::text)::text, '')
           || coalesce(',"invited_by_name":' || to_json((i.invited_by_name)::text)::text, '')
           || coalesce(',"project_name":' || to_json((p.name)::text)::text, '') || '}' as item
            from invitation i
            join project p on p.id = i.project_id
            join role r on r.id = i.role_id
           where i.id = $1;

commit;
