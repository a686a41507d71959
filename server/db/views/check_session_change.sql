create or replace function check_session_change() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null and (new.ended_at is null or new.token_hash <> old.token_hash) then
    raise exception 'a session that has ended stays so'
      using errcode = 'integrity_constraint_violation', constraint = 'session_ended';
  end if;
  if new.token_hash = old.token_hash
     and (new.proven_at is distinct from old.proven_at or new.pending <> old.pending)
     or new.pending and (not old.pending or new.token_hash <> old.token_hash)
  then
    raise exception 'a session gets a new token with each proof, and none while it is pending'
      using errcode = 'integrity_constraint_violation', constraint = 'session_token';
  end if;
  return new;
end $$;
comment on function check_session_change() is
  'A session gets a new token with each proof, and none while it is pending; one that has ended stays so.';
