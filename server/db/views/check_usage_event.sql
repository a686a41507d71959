create or replace function check_usage_event() returns trigger language plpgsql as $$
declare
  expected usage_event := old;
begin
  expected.settlement_id := new.settlement_id;
  if old.settlement_id is not null or new.settlement_id is null or new is distinct from expected
     or not new.charged then
    raise exception 'a usage event that is charged is settled once, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
comment on function check_usage_event() is
  'A usage event is settled once, if it is charged. Nothing else of it changes.';
