create or replace function note_revocation() returns trigger language plpgsql as $$
begin
  insert into revocation (user_id) values ((to_jsonb(old) ->> tg_argv[0])::uuid);
  return null;
end $$;
comment on function note_revocation() is
  'Notes that rights of a person may have ended, so that their open event streams are checked soon. The argument is the column that has the person.';

create or replace trigger session_notes_revocation after update of ended_at, token_hash on session
  for each row
  when (old.ended_at is null and new.ended_at is not null or old.token_hash <> new.token_hash)
  execute function note_revocation('user_id');
create or replace trigger api_key_notes_revocation after update of revoked_at on api_key
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function note_revocation('user_id');
create or replace trigger app_user_notes_revocation after update of is_active, two_factor on app_user
  for each row
  -- Who gains rights by a second factor hears of it as soon as who loses them.
  when (old.is_active and not new.is_active or old.two_factor <> new.two_factor)
  execute function note_revocation('id');
create or replace trigger membership_notes_revocation after delete on membership
  for each row execute function note_revocation('user_id');
create or replace trigger project_grant_notes_revocation after delete on project_grant
  for each row execute function note_revocation('user_id');
