-- Workers look for turns twice a second, and would otherwise pass all those of paused tasks.
alter table task_turn add column paused boolean not null default false;
comment on column task_turn.paused is
  'Whether it waits because its task is paused: a copy that triggers keep, for the index of turns that are due.';

-- As in api/db/views/pause_turns.sql and pause_new_turn.sql.
create function pause_turns() returns trigger language plpgsql as $$
begin
  update task_turn set paused = new.status = 'paused'
   where task_id = new.id and state in ('queued', 'interrupted');
  return null;
end $$;
create trigger task_pauses after update of status on task
  for each row when ((old.status = 'paused') <> (new.status = 'paused'))
  execute function pause_turns();

create function pause_new_turn() returns trigger language plpgsql as $$
begin
  new.paused := coalesce((select status = 'paused' from task where id = new.task_id), false);
  return new;
end $$;
create trigger task_turn_waits before insert on task_turn
  for each row execute function pause_new_turn();

update task_turn u set paused = true
  from task t
 where t.id = u.task_id and t.status = 'paused' and u.state in ('queued', 'interrupted');
