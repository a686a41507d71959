-- set_network: PUT /api/projects/{project_id}/network
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

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
              for no key update) p
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

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
  expected as materialized (
    select from (select
  (select jsonb_object_agg(p.purpose, coalesce(h.hosts, '[]'))
     from unnest($4::text[]) p(purpose)
     left join lateral (
       select jsonb_agg(n.host order by n.host collate "C") as hosts
         from project_network_host n
        where n.project_id = $5::uuid and n.purpose = p.purpose) h on true) as lists) l
     where true),
  wanted as materialized (
    select l.purpose, h.host
      from expected, jsonb_each($6::jsonb) l(purpose, hosts),
           jsonb_array_elements_text(l.hosts) h(host)),
  removed as (
    delete from project_network_host n using expected
     where n.project_id = $7
       and n.purpose = any($8::text[])
       and not exists (select from wanted w where w.purpose = n.purpose and w.host = n.host)
    returning n.purpose, n.host),
  added as (
    insert into project_network_host (project_id, purpose, host)
    select $9, purpose, host from wanted
    on conflict (project_id, purpose, host) do nothing
    returning purpose, host),
  changed as (
    select
  (select coalesce(jsonb_object_agg(p.purpose, p.hosts), '{}')
     from (select purpose, jsonb_agg(host order by host collate "C") as hosts
             from removed group by purpose) p) as removed,
  (select coalesce(jsonb_object_agg(p.purpose, p.hosts), '{}')
     from (select purpose, jsonb_agg(host order by host collate "C") as hosts
             from added group by purpose) p) as added
     where exists (select from removed) or exists (select from added)),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $10, 'done',
         ($11::uuid)::text, $12::uuid, $13::uuid,
         jsonb_build_object('network_removed', changed.removed), jsonb_build_object('network_added', changed.added), $14
    from changed cross join caller)
  select 1 from expected;

select (lists || $1::jsonb)::text as item, md5(lists::text) as revision
    from (select
  (select jsonb_object_agg(p.purpose, coalesce(h.hosts, '[]'))
     from unnest($2::text[]) p(purpose)
     left join lateral (
       select jsonb_agg(n.host order by n.host collate "C") as hosts
         from project_network_host n
        where n.project_id = $3::uuid and n.purpose = p.purpose) h on true) as lists) found;

commit;
