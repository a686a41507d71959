-- resend_failed_delivery: POST /api/operator/webhook-deliveries/{delivery_id}/resend
-- Written by `npm run sql`: to be read, not edited and not loaded.

begin;

select from operator o join api_key k on k.user_id = o.user_id
           where k.secret_hash = $1 for share of o;

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    target as materialized (
    select d.id as target_id, e.id as webhook_id, e.project_id,
           coalesce(e.organization_id, p.organization_id) as workspace_id
      from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id
      left join project p on p.id = e.project_id
     where d.id = $2),
    access as materialized (
      select true as found, null::uuid as organization_id, target.*, case when not
  exists (select from operator where operator.user_id = caller.user_id) then 'operator_required' end as denied_because
        from caller left join target on true
       where target.target_id is not null or not
  exists (select from operator where operator.user_id = caller.user_id)),
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

select from webhook_queue where endpoint_id = $1 for update;

with
  caller as (
    select $1::uuid as user_id, $2::uuid as key_id, $3::uuid as session_id),
  place as materialized (
    select d.id, d.state, e.enabled as is_on
      from webhook_endpoint e join webhook_delivery d on d.endpoint_id = e.id
     where e.id = $4 and d.id = $5),
  made as (
    update webhook_delivery d
       set state = 'waiting', attempts = 0, next_attempt_at = now(), ended_at = null
      from place
     where d.id = place.id and place.is_on and place.state <> 'blocked'
    returning d.*),
  due as (
    update webhook_queue set next_at = now() where endpoint_id in (select endpoint_id from made)),
  audited as (
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id, for_operators)
  select caller.user_id, caller.key_id, caller.session_id, $6, 'done',
         (made.endpoint_id)::text, $7::uuid, $8::uuid,
         null::jsonb, jsonb_build_object('delivery_id', made.id), $9, true
    from made cross join caller)
  select place.is_on, place.state, '{"id":' || '"' || (d.id)::uuid || '"'
           || coalesce(',"type":' || to_json((d.type)::text)::text, '')
           || coalesce(',"task_id":' || '"' || (d.task_id)::uuid || '"', '')
           || coalesce(',"state":' || '"' || case d.state when 'blocked' then 'waiting' else d.state end || '"', '')
           || coalesce(',"attempts":' || (d.attempts)::bigint::text, '')
           || coalesce(',"status":' || (d.status)::bigint::text, '')
           || coalesce(',"answer":' || to_json((d.answer)::text)::text, '')
           || coalesce(',"error":' || to_json((d.error)::text)::text, '')
           || coalesce(',"duration_ms":' || (d.duration_ms)::bigint::text, '')
           || coalesce(',"body":' || to_json((d.body)::text)::text, '')
           || coalesce(',"created_at":' || '"' || to_char((d.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"next_attempt_at":' || '"' || to_char((d.next_attempt_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"ended_at":' || '"' || to_char((d.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '') || '}' as item from place left join made d on true;

commit;
