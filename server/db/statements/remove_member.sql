-- remove_member: DELETE /api/organizations/{org_id}/members/{user_id}
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
             o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
             verdict.denied_because
        from organization o
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id
        cross join lateral (select
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any($2::text[]))
       then 'forbidden' end as denied_because) by_role
        cross join lateral (
          select coalesce(by_role.denied_because,
                          case when
  $3 <> caller.user_id and exists (
    select from app_user self join app_user target on target.kind = self.kind
     where self.id = caller.user_id and target.id = $4 and target.kind = 'service') then 'forbidden' end)
                   as denied_because) verdict
       where o.id = $5 and (verdict.denied_because is not null or
  exists (select from membership person
           where person.organization_id = o.id and person.user_id = $6))),
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

select r.acts_as, true as expected
      from membership t join role r on r.id = t.role_id
     where t.organization_id = $1 and t.user_id = $2;

select r.slug as role
      from membership t join role r on r.id = t.role_id
     where t.organization_id = $1 and t.user_id = $2 for update of t;

with teams as (
      delete from team_member
       where organization_id = $1 and user_id = $2 returning team_id),
    overrides as (
      delete from project_grant g using project p
       where p.id = g.project_id and p.organization_id = $3
         and g.user_id = $4 returning g.project_id),
    ended as (
      delete from membership where organization_id = $5 and user_id = $6)
    select (select count(*)::int from teams) as teams_left,
           (select count(*)::int from overrides) as overrides_removed;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

select id from billing_account where organization_id = $1 for update;

select r.account_id from auto_reload r join payment_method p on p.id = r.payment_method_id
     where r.account_id = $1 and r.enabled and p.user_id = $2;

commit;
