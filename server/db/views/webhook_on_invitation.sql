create or replace function webhook_on_invitation() returns trigger language plpgsql as $$
begin
  perform note_webhook_event(
    'invitation.created',
    coalesce(new.organization_id,
             (select p.organization_id from project p where p.id = new.project_id)),
    new.project_id, null, jsonb_build_object('invitation_id', new.id));
  return null;
end $$;
comment on function webhook_on_invitation() is
  'That a person was invited to a workspace or a project, for webhooks; without the address.';

create or replace trigger invitation_created_for_webhooks after insert on invitation
  for each row execute function webhook_on_invitation();
