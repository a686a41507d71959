create or replace function end_operator() returns trigger language plpgsql as $$
begin
  delete from operator where user_id = new.id;
  return null;
end $$;
comment on function end_operator() is
  'Whoever is deactivated is no operator any more, also when they are activated again.';

create or replace trigger app_user_ends_operator after update of is_active on app_user
  for each row when (old.is_active and not new.is_active)
  execute function end_operator();
