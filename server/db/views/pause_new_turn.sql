create or replace function pause_new_turn() returns trigger language plpgsql as $$
begin
  new.paused := coalesce((select status = 'paused' from task where id = new.task_id), false);
  return new;
end $$;
comment on function pause_new_turn() is
  'A turn that is queued while its task is paused waits with it.';

create or replace trigger task_turn_waits before insert on task_turn
  for each row execute function pause_new_turn();
