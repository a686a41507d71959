-- update_member: PUT /api/organizations/{org_id}/members/{user_id}
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

with given as materialized (
      select * from (
      select r.* from role r
       where r.id = $1 and r.scope = $2 and r.assignable
         and (r.organization_id is null or r.organization_id = $3::uuid) for key share of r) r)
    select (select json_build_object('id', id, 'slug', slug, 'acts_as', acts_as)
      from given) as given,
           json_build_object(
             'role_id', r.id, 'role', r.slug, 'acts_as', r.acts_as,
             'expected', true) as current
      from membership t join role r on r.id = t.role_id
     where t.organization_id = $4 and t.user_id = $5;

with t as (
      update membership
         set role_id = $1, updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where organization_id = $2 and user_id = $3
      returning *)
    select '{"user_id":' || '"' || (t.user_id)::uuid || '"'
           || coalesce(',"email":' || to_json((u.email)::text)::text, '')
           || coalesce(',"name":' || to_json((u.name)::text)::text, '')
           || coalesce(',"role":' || '"' || r.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (r.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((r.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || r.color || '"', '')
           || coalesce(',"is_owner":' || ((t.user_id = o.owner_user_id)::boolean)::text, '')
           || coalesce(',"is_active":' || ((u.is_active)::boolean)::text, '')
           || coalesce(',"two_factor_enabled":' || ((u.two_factor and u.kind = 'person')::boolean)::text, '')
           || coalesce(',"kind":' || '"' || nullif(u.kind, 'person') || '"', '')
           || coalesce(',"teams":' || (
  (select '[' || coalesce(string_agg('{"id":' || '"' || team.id || '"'
           || coalesce(',"name":' || to_json(team.name)::text, '') || '}', ',' order by lower(team.name) collate "C", team.id), '') || ']'
     from team_member tm join team on team.id = tm.team_id
    where tm.organization_id = t.organization_id and tm.user_id = t.user_id))::json::text, '')
           || coalesce(',"joined_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision from t
  join organization o on o.id = t.organization_id
  join app_user u on u.id = t.user_id
  join role r on r.id = case when t.user_id = o.owner_user_id
                             then '00000000-0000-4000-8000-000000000001'::uuid else t.role_id end;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

commit;
