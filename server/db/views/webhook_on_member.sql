create or replace function webhook_on_member() returns trigger language plpgsql as $$
declare
  row membership := case tg_op when 'INSERT' then new else old end;
begin
  perform note_webhook_event(
    case tg_op when 'INSERT' then 'member.added' else 'member.removed' end,
    row.organization_id, null, null, jsonb_build_object('user_id', row.user_id));
  return null;
end $$;
comment on function webhook_on_member() is
  'That a person has joined or left a workspace, for webhooks.';

create or replace trigger member_added_for_webhooks after insert on membership
  for each row execute function webhook_on_member();
create or replace trigger member_removed_for_webhooks after delete on membership
  for each row execute function webhook_on_member();
