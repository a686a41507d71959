create or replace function note_check_fix() returns trigger language plpgsql as $$
begin
  perform note_task_event(s.task_id, 'fix_checks', json_build_object(
            'head_sha', s.head_sha, 'message_number', new.message_number))
    from check_suite s where s.id = new.suite_id;
  return null;
end $$;
comment on function note_check_fix() is
  'That the agent was asked to fix failed checks, as an event of its task.';

create or replace trigger check_fix_begun after insert on check_fix
  for each row execute function note_check_fix();
