create or replace function check_new_top_up() returns trigger language plpgsql as $$
begin
  perform refuse_test_money(new.processor, new.created_at);
  return new;
end $$;
comment on function check_new_top_up() is
  'No top-up of the sandbox begins once the installation has left it.';

create or replace trigger top_up_is_no_test_money before insert on top_up
  for each row execute function check_new_top_up();
