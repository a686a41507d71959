create or replace function webhook_on_top_up() returns trigger language plpgsql as $$
declare
  workspace uuid;
begin
  select a.organization_id into workspace from billing_account a where a.id = new.account_id;
  if workspace is null then return null; end if;
  perform note_webhook_event(
    'top_up.' || new.status, workspace, null, null,
    jsonb_build_object('top_up_id', new.id, 'automatic', new.automatic));
  return null;
end $$;
comment on function webhook_on_top_up() is
  'That the balance of a workspace was topped up, or could not be, for webhooks.';

create or replace trigger top_up_ended_for_webhooks after update of status on top_up
  for each row
  when (old.status in ('created', 'processing') and new.status in ('succeeded', 'failed'))
  execute function webhook_on_top_up();
