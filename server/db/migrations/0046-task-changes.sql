-- task.updated_at is when callers see it change: whoever changes it need not set it.
-- As in api/db/views/touch_task.sql.
create function touch_task() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
create trigger task_touched
  before update of title, status, status_reason, model, spend_cap, archived_at on task
  for each row
  when ((old.title, old.status, old.status_reason, old.model, old.spend_cap, old.archived_at)
        is distinct from
        (new.title, new.status, new.status_reason, new.model, new.spend_cap, new.archived_at))
  execute function touch_task();

-- A message that was never sent belongs to the turn that sends it when its task is resumed.
grant update (turn_id) on task_message to guildhall_app;
