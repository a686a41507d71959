create or replace function check_passkey_counter() returns trigger language plpgsql as $$
begin
  if new.counter < old.counter or new.counter = old.counter and new.counter > 0 then
    raise exception 'the counter of a passkey rises'
      using errcode = 'integrity_constraint_violation', constraint = 'passkey_counter_rises';
  end if;
  return new;
end $$;
comment on function check_passkey_counter() is
  'The counter of a passkey rises with each use, or stays at 0.';
