create or replace function note_checks() returns trigger language plpgsql as $$
begin
  perform note_task_event(new.task_id, 'checks', json_build_object(
    'head_sha', new.head_sha, 'state', coalesce(new.conclusion, 'pending')));
  return null;
end $$;
comment on function note_checks() is
  'How the checks of a commit are as a whole, as an event of its task.';

create or replace trigger checks_begun after insert on check_suite
  for each row execute function note_checks();
create or replace trigger checks_changed after update of conclusion on check_suite
  for each row when (old.conclusion is distinct from new.conclusion)
  execute function note_checks();
