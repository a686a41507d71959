create or replace function webhook_on_checks() returns trigger language plpgsql as $$
begin
  perform note_webhook_of_task('task.checks_failed', new.task_id,
                               jsonb_build_object('head_sha', new.head_sha));
  return null;
end $$;
comment on function webhook_on_checks() is
  'That checks of a commit have failed, for webhooks.';

create or replace trigger checks_failed_for_webhooks after update of conclusion on check_suite
  for each row when (new.conclusion = 'failed' and old.conclusion is distinct from new.conclusion)
  execute function webhook_on_checks();
create or replace trigger checks_found_failed_for_webhooks after insert on check_suite
  for each row when (new.conclusion = 'failed') execute function webhook_on_checks();
