create or replace function end_service_account() returns trigger language plpgsql as $$
begin
  update api_key set revoked_at = clock_timestamp()
   where user_id = old.user_id and revoked_at is null;
  update app_user set is_active = false, updated_at = clock_timestamp()
   where id = old.user_id and is_active;
  return null;
end $$;
comment on function end_service_account() is
  'A service account ends with its membership, for good: its keys open nothing more. Its name stays for what it has done.';

create or replace trigger membership_ends_service_account after delete on membership
  for each row when (old.user_kind = 'service') execute function end_service_account();
