create or replace function webhook_on_merge() returns trigger language plpgsql as $$
begin
  perform note_webhook_of_task('task.merged', new.task_id, jsonb_build_object(
    'merge_id', new.id, 'branch', new.branch, 'stage', new.stage,
    'merge_commit_sha', new.merge_commit_sha));
  return null;
end $$;
comment on function webhook_on_merge() is
  'That a task was merged, for webhooks.';

create or replace trigger merged_for_webhooks after update of state on merge
  for each row when (old.state <> new.state and new.state = 'merged')
  execute function webhook_on_merge();
create or replace trigger found_merged_for_webhooks after insert on merge
  for each row when (new.state = 'merged') execute function webhook_on_merge();
