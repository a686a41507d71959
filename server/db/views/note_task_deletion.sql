create or replace function note_task_deletion() returns trigger language plpgsql as $$
begin
  -- Those of a project that was deleted itself are noted once, by note_project_change.
  insert into task_change (object_id, project_id)
  select gone.id, gone.project_id from gone join project p on p.id = gone.project_id
  on conflict do nothing;
  return null;
end $$;
comment on function note_task_deletion() is
  'Notes which tasks were deleted, for the streams of changes.';

create or replace trigger task_deleted_is_noted after delete on task
  referencing old table as gone
  for each statement execute function note_task_deletion();
