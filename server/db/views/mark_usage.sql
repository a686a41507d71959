create or replace function mark_usage() returns trigger language plpgsql as $$
begin
  new.charged := not exists (select from billing_mode where mode = 'off');
  return new;
end $$;
comment on function mark_usage() is
  'What is used while billing is off is counted and never charged, also once it is on again.';

create or replace trigger usage_event_is_marked before insert on usage_event
  for each row execute function mark_usage();
