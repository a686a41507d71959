-- update_billing_details: PUT /api/billing/details
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, a.id as account_id, null::uuid as organization_id,
             null::text as denied_because
        from billing_account a join caller on a.user_id = caller.user_id
       ),
    authorized as materialized (
      select access.* from access cross join caller where
  case when caller.read_only then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null),
  current as materialized (
    select t as row, true as expected
      from billing_details t join authorized on t.id = authorized.account_id for update of t),
        wanted as (select jsonb_populate_record(row, $2::jsonb) as row from current where expected),
        changed as (
          update billing_details t
             set name = (wanted.row).name,
                 address = (wanted.row).address,
                 country = (wanted.row).country,
                 tax_id = (wanted.row).tax_id,
                 email = (wanted.row).email,
                 mail_receipts = (wanted.row).mail_receipts,
                 updated_at = greatest(clock_timestamp(), (current.row).updated_at + interval '1 microsecond')
            from wanted, current
           where t.id = (wanted.row).id and wanted.row is distinct from current.row
          returning t as row),
        audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id)
  select caller.user_id, caller.key_id, caller.session_id, $3, 'done',
         ((changed.row).id)::text, authorized.organization_id, null::uuid,
         jsonb_build_object('mail_receipts', (current.row).mail_receipts,
           'name', (current.row).name,
           'address', (current.row).address,
           'country', (current.row).country,
           'tax_id', (current.row).tax_id,
           'email', (current.row).email), jsonb_build_object('mail_receipts', (changed.row).mail_receipts,
           'name', (changed.row).name,
           'address', (changed.row).address,
           'country', (changed.row).country,
           'tax_id', (changed.row).tax_id,
           'email', (changed.row).email), $4
    from changed cross join current cross join authorized cross join caller)
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
      left join caller on true left join access on true left join (
        select current.expected, '{"mail_receipts":' || ((t.mail_receipts)::boolean)::text
           || coalesce(',"name":' || to_json((t.name)::text)::text, '')
           || coalesce(',"address":' || (array_to_json(t.address))::json::text, '')
           || coalesce(',"country":' || to_json((t.country)::text)::text, '')
           || coalesce(',"tax_id":' || to_json((t.tax_id)::text)::text, '')
           || coalesce(',"email":' || to_json((t.email)::text)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"updated_at":' || '"' || to_char((t.updated_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item, (extract(epoch from t.updated_at) * 1000000)::bigint::text as revision
          from current
          left join changed on true,
               lateral (select (coalesce(changed.row, current.row)).*) t) page on true;
