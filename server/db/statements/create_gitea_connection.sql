-- create_gitea_connection: POST /api/organizations/{org_id}/gitea/connections
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

select id from gitea_connection
           where organization_id = $1 and url = $2;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
  former as materialized (
    select c as row from gitea_connection c where c.id = $4),
  changed as (
    insert into gitea_connection as t (id, organization_id, url, token, token_key_id)
    select $5, $6, $7, $8, $9
     where (select count(*) from gitea_connection
             where organization_id = $10 and id <> $11) < $12
    on conflict (id) do update
       set token = excluded.token, token_key_id = excluded.token_key_id,
           account_id = null, account_login = null, account_asked_at = '-infinity',
           updated_at = clock_timestamp()
    returning t as row),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $13, 'done',
         ((changed.row).id)::text, (changed.row).organization_id, null::uuid,
         (select
  jsonb_build_object('host', split_part(split_part((former.row).url, '://', 2), '/', 1)) from former),
  jsonb_build_object('host', split_part(split_part((changed.row).url, '://', 2), '/', 1)), $14
    from changed cross join caller)
  select (select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"organization_id":' || '"' || (t.organization_id)::uuid || '"', '')
           || coalesce(',"url":' || to_json((t.url)::text)::text, '')
           || coalesce(',"account_login":' || to_json((t.account_login)::text)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' from changed, lateral (select (changed.row).*) t) as item;

update repository r set connection_id = $1, looked_at = '-infinity'
    from project p
   where p.id = r.project_id and p.organization_id = $2
     and r.host = 'gitea' and r.host_url = $3;

commit;
