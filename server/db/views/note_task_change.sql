create or replace function note_task_change() returns trigger language plpgsql as $$
begin
  insert into task_change (object_id, project_id) values (new.id, new.project_id)
  on conflict do nothing;
  return null;
end $$;
comment on function note_task_change() is
  'Notes that a task was created, or changed as people see it, for the streams of changes.';

create or replace trigger task_created_is_noted after insert on task
  for each row execute function note_task_change();
-- Its turns, fence and counters do not count: see touch_task.
create or replace trigger task_changed_is_noted after update on task
  for each row when (old.updated_at is distinct from new.updated_at)
  execute function note_task_change();
