-- accept_invitation: POST /api/invitations/{invitation_id}/accept
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select lock_invitation($1);

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
           case when me.id is null then 'forbidden' when o.require_2fa and not caller.two_factor then 'two_factor_required' end as denied_because
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

with
  accepted as (
    update invitation i
       set status = 'accepted', updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
     where i.id = $1 and i.status = 'pending'
    returning i.organization_id, i.project_id, i.role_id),
    joined as (
      insert into membership (organization_id, user_id, role_id)
      select organization_id, $2, role_id from accepted
      on conflict (organization_id, user_id) do nothing)
    select r.slug as role, r.id as role_id, r.name as role_name, r.color as role_color
      from accepted
      join organization o on o.id = accepted.organization_id
      left join membership m on m.organization_id = o.id and m.user_id = $3
      join role r on r.id = case when o.owner_user_id = $4
                                      then '00000000-0000-4000-8000-000000000001'::uuid
                                 else coalesce(m.role_id, accepted.role_id) end;

with named as materialized (
      select t.id, t.organization_id, t.name
        from invitation_team it join team t on t.id = it.team_id
       where it.invitation_id = $1
       order by t.id for key share of t),
    joined as (
      insert into team_member (team_id, organization_id, user_id)
      select id, organization_id, $2 from named
      on conflict do nothing)
    select coalesce(json_agg(json_build_object('id', id, 'name', name)
                             order by lower(name) collate "C", id), '[]') as teams
      from named;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
