create or replace function note_merge() returns trigger language plpgsql as $$
begin
  perform note_task_event(new.task_id, 'merge', json_strip_nulls(json_build_object(
    'merge_id', new.id, 'state', new.state, 'branch', new.branch, 'stage', new.stage,
    'head_sha', new.expected_head_sha, 'forced', new.forced,
    'merge_commit_sha', new.merge_commit_sha,
    'requested_by_user_id', new.requested_by_user_id,
    'failure', case when new.failure_code is not null
                    then json_build_object('code', new.failure_code,
                                           'message', new.failure_message) end)));
  return null;
end $$;
comment on function note_merge() is
  'That a task is to be merged, and what came of it, as an event of the task.';

create or replace trigger merge_asked after insert on merge
  for each row execute function note_merge();
create or replace trigger merge_ended after update of state on merge
  for each row when (old.state <> new.state) execute function note_merge();
