-- transfer_project: POST /api/projects/{project_id}/transfer
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select lock_project($1, $2);

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    next as materialized (
      select o.id as organization_id, null::uuid as owner_user_id,
             case when o.owner_user_id = caller.user_id then '00000000-0000-4000-8000-000000000001'::uuid
                  when r.acts_as = 'admin' then r.id
                  else '00000000-0000-4000-8000-000000000012'::uuid end as role_id,
             o.owner_user_id <> caller.user_id and r.acts_as <> 'admin' as becomes_admin,
             case when m.user_id is null then 'forbidden'
                  when o.require_2fa and not caller.two_factor then 'two_factor_required'
                  when not
  (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
      = any($2::text[])
   or
  exists (
    select from team_member tm join team on team.id = tm.team_id
     where tm.organization_id = o.id and tm.user_id = caller.user_id
       and team.can_create_projects)) then 'forbidden'
             end as denied_because
        from organization o
        cross join caller
        left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
        left join role r on r.id = m.role_id
       where o.id = $3),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             to_jsonb(next) as next,
             coalesce(
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any($4::text[])) is not true
            then 'forbidden' end,
                      case when caller.scope is not null then 'key_out_of_scope' end,
                      next.denied_because) as denied_because
        from (select * from project where id = $5) p
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
  ) standing cross join next),
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

delete from project_grant g using membership m
     where g.project_id = $1
       and m.organization_id = $2 and m.user_id = g.user_id;

delete from team_project where project_id = $1;

update project_grant g set role_id = custom.built_in_id
      from
  (select custom.id, custom.organization_id, built_in.id as built_in_id
     from role custom
     join role built_in on built_in.organization_id is null and built_in.scope = custom.scope
                       and built_in.slug = custom.acts_as
    where custom.organization_id is not null) custom
     where g.project_id = $1 and g.role_id = custom.id;

update invitation i
       set role_id = custom.built_in_id, updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 microsecond')
      from
  (select custom.id, custom.organization_id, built_in.id as built_in_id
     from role custom
     join role built_in on built_in.organization_id is null and built_in.scope = custom.scope
                       and built_in.slug = custom.acts_as
    where custom.organization_id is not null) custom
     where i.project_id = $1 and i.role_id = custom.id;

select count(*) >= $1 as full
      from (select from project
             where organization_id = $2
                or owner_user_id = $3
             limit $4) owned;

update project
       set organization_id = $1,
           owner_user_id = $2,
           updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
     where id = $3
       and organization_id is not distinct from $4
       and owner_user_id is not distinct from $5
    returning id;

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce($1::uuid, uuid_v7()), $2, $3, $4,
            $5, 'done', $6, $7,
            $8, $9, $10,
            $11, $12);

with caller as (select $1::uuid as user_id, false as read_only),
    authorized as (select $2::uuid as role_id)
    select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"organization_id":' || '"' || (t.organization_id)::uuid || '"', '')
           || coalesce(',"owner_user_id":' || '"' || (t.owner_user_id)::uuid || '"', '')
           || coalesce(',"erp_version":' || to_json((t.erp_version)::text)::text, '')
           || coalesce(',"erp_edition":' || '"' || t.erp_edition || '"', '')
           || coalesce(',"default_model":' || to_json((t.default_model)::text)::text, '')
           || coalesce(',"plan_approval":' || '"' || t.plan_approval || '"', '')
           || coalesce(',"direct_push":' || '"' || t.direct_push || '"', '')
           || coalesce(',"spend_cap":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.spend_cap)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"archived":' || ((t.archived_at is not null)::boolean)::text, '')
           || coalesce(',"archived_at":' || '"' || to_char((t.archived_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"role":' || '"' || acting.slug || '"', '')
           || coalesce(',"role_id":' || '"' || (acting.id)::uuid || '"', '')
           || coalesce(',"role_name":' || to_json((acting.name)::text)::text, '')
           || coalesce(',"role_color":' || '"' || acting.color || '"', '')
           || coalesce(',"task_count":' || ((select count(*) from task where project_id = t.id))::bigint::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"available_actions":' || (('[' || concat_ws(',', nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $3 then $4 when $5 then $6 when $7 then $8 when $9 then $10 end, ''), case when not (select read_only from caller) then nullif(case case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end when $11 then $12 when $13 then $14 when $15 then $16 when $17 then $18 end, '') end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($19::text[]) and t.organization_id is null and t.owner_user_id is null then $20 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($21::text[]) and t.archived_at is null then $22 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($23::text[]) and
  (select count(*) from odoo_connection c where c.project_id = t.id) < $24 then $25 end, case when case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($26::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $27 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($28::text[]) and exists (select from odoo_dump d where d.project_id = t.id) then $29 end, case when not (select read_only from caller) and case when t.owner_user_id = caller.user_id then 'owner' else acting.acts_as end = any($30::text[]) and t.archived_at is null then $31 end) || ']'))::json::text, '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
      from project t cross join authorized
  cross join caller
  join role acting on acting.id = authorized.role_id
     where t.id = $32;

commit;
