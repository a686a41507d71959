create or replace function webhook_on_audit() returns trigger language plpgsql as $$
begin
  -- Before anything is made of the row: every audited operation comes by here.
  if not exists (
    select from webhook_endpoint e
     where e.kind = 'audit' and e.enabled
       and (e.organization_id = new.organization_id or e.project_id = new.project_id))
  then return null; end if;
  perform note_webhook_event(
    'audit.recorded', new.organization_id, new.project_id, null,
    jsonb_strip_nulls(jsonb_build_object(
      'id', new.id, 'action', new.action, 'outcome', new.outcome, 'code', new.code,
      'actor_user_id', new.actor_user_id, 'key_id', new.key_id, 'target_id', new.target_id,
      'request_id', new.request_id))
    -- What is too long to send must not keep anything from being written.
    || case when octet_length(concat(new.before, new.after)) <= 65536
            then jsonb_build_object('before', new.before, 'after', new.after)
            else '{}' end);
  return null;
end $$;
comment on function webhook_on_audit() is
  'A row of the audit trail as it is written, for webhooks of the kind audit.';

create or replace trigger audit_event_for_webhooks after insert on audit_event
  for each row when (new.organization_id is not null or new.project_id is not null)
  execute function webhook_on_audit();
