create or replace function webhook_on_balance() returns trigger language plpgsql as $$
declare
  workspace uuid;
begin
  select a.organization_id into workspace
    from billing_account a where a.id = (new.payload ->> 'account_id')::uuid;
  if workspace is null then return null; end if;
  perform note_webhook_event(
    'balance.low', workspace, null, null,
    jsonb_build_object('threshold',
      to_char((new.payload ->> 'threshold')::numeric / 1000000, 'FM999999999990.00')));
  return null;
end $$;
comment on function webhook_on_balance() is
  'That the balance of a workspace has fallen below its threshold, for webhooks.';

create or replace trigger balance_low_for_webhooks after insert on outbox
  for each row when (new.topic = 'low_balance') execute function webhook_on_balance();
