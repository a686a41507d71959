create or replace function pause_turns() returns trigger language plpgsql as $$
begin
  update task_turn set paused = new.status = 'paused'
   where task_id = new.id and state in ('queued', 'interrupted');
  return null;
end $$;
comment on function pause_turns() is
  'The turns of a task that pauses wait with it, and those of one that goes on can be claimed.';

create or replace trigger task_pauses after update of status on task
  for each row when ((old.status = 'paused') <> (new.status = 'paused'))
  execute function pause_turns();
