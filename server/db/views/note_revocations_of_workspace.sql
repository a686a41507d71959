create or replace function note_revocations_of_workspace() returns trigger language plpgsql as $$
begin
  insert into revocation (user_id)
  select m.user_id
    from membership m join app_user u on u.id = m.user_id
   where m.organization_id = new.id and not u.two_factor;
  return null;
end $$;
comment on function note_revocations_of_workspace() is
  'Notes every member without a second factor when their workspace begins or ceases to require one, so that their open event streams are checked soon.';

create or replace trigger organization_notes_revocations after update of require_2fa on organization
  for each row when (new.require_2fa <> old.require_2fa)
  execute function note_revocations_of_workspace();
