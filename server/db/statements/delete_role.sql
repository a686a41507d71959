-- delete_role: DELETE /api/organizations/{org_id}/roles/{role_id}
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

with workspace as materialized (select id from organization where id = $1 for update)
    select t.id from workspace join role t on t.organization_id = workspace.id
     where t.id = $2 for update of t;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as role_id,
             t.organization_id is not null as is_custom,
             o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because
        from organization o
        join role t on t.id = $3 and (t.organization_id is null or t.organization_id = o.id)
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
       where o.id = $4),
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

select true as expected,
           t.scope, t.acts_as, jsonb_build_object('name', (t).name,
           'color', (t).color,
           'acts_as', (t).acts_as) as before,
           json_build_object(
             'members', (select count(*) from membership where role_id = t.id),
             'project_people', (select count(*) from project_grant where role_id = t.id),
             'invitations', (select count(*) from invitation
                              where role_id = t.id and status = 'pending')) as uses,
           (select json_build_object('id', other.id, 'acts_as', other.acts_as)
              from role other
             where other.id = $1 and other.id <> t.id and other.assignable
               and other.scope = t.scope
               and (other.organization_id is null or other.organization_id = $2))
             as replacement
      from role t where t.id = $3;

with members as (
      update membership
         set role_id = $1, updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where role_id = $2),
    project_people as (
      update project_grant set role_id = $3 where role_id = $4),
    invitations as (
      update invitation i
         set role_id = case when i.status = 'pending' then $5
                            else custom.built_in_id end,
             updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
        from
  (select custom.id, custom.organization_id, built_in.id as built_in_id
     from role custom
     join role built_in on built_in.organization_id is null and built_in.scope = custom.scope
                       and built_in.slug = custom.acts_as
    where custom.organization_id is not null) custom
       where custom.id = $6 and i.role_id = custom.id)
    delete from role where id = $7;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
