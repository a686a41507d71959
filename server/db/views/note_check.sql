create or replace function note_check() returns trigger language plpgsql as $$
begin
  perform note_task_event(s.task_id, 'check', json_strip_nulls(json_build_object(
            'check_id', new.id, 'name', new.name, 'head_sha', s.head_sha, 'state', new.state,
            'conclusion', new.conclusion)))
    from check_suite s where s.id = new.suite_id;
  return null;
end $$;
comment on function note_check() is 'That a check has begun or ended, as an event of its task.';

create or replace trigger check_added after insert on check_run
  for each row when (new.state <> 'queued') execute function note_check();
create or replace trigger check_changed after update of state, conclusion on check_run
  for each row
  when ((old.state, old.conclusion) is distinct from (new.state, new.conclusion)
        and new.state <> 'queued')
  execute function note_check();
